/** What `script/front` tells the service worker about the build that it belongs to. */
declare const SHELL: {
  /** Differs when any file of the front differs. */
  readonly version: string;
  /** The paths of everything the front consists of: the shell `/`, the manifest, and the files below `/app/`. */
  readonly files: readonly string[];
  /** The paths that the shell answers; `{id}` stands for the number of a record. */
  readonly routes: readonly string[];
};
