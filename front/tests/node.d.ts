/** The parts of node's test runner that the tests use. Debian has no package of node's types for this compiler. */
declare module "node:test" {
  type Work = () => void | Promise<void>;
  export function test(name: string, work: Work): Promise<void>;
  export function describe(name: string, work: () => void): void;
  export function it(name: string, work: Work): void;
  export function beforeEach(work: Work): void;
  export function afterEach(work: Work): void;
  export default test;
}

declare module "node:assert/strict" {
  type Message = string | Error;
  type Expected = RegExp | Error | object | ((error: unknown) => boolean);
  function assert(value: unknown, message?: Message): asserts value;
  namespace assert {
    function ok(value: unknown, message?: Message): asserts value;
    function equal<Value>(actual: unknown, expected: Value, message?: Message): asserts actual is Value;
    function notEqual(actual: unknown, expected: unknown, message?: Message): void;
    function deepEqual(actual: unknown, expected: unknown, message?: Message): void;
    function notDeepEqual(actual: unknown, expected: unknown, message?: Message): void;
    function match(text: string, pattern: RegExp, message?: Message): void;
    function doesNotMatch(text: string, pattern: RegExp, message?: Message): void;
    function throws(work: () => unknown, expected?: Expected): void;
    function doesNotThrow(work: () => unknown): void;
    function rejects(work: Promise<unknown> | (() => Promise<unknown>), expected?: Expected): Promise<void>;
    function fail(message?: Message): never;
  }
  export default assert;
}

declare module "node:fs" {
  export function readdirSync(folder: string): string[];
  export function readFileSync(path: string, encoding: "utf8"): string;
  export function statSync(path: string): { isDirectory(): boolean };
}

declare module "node:module" {
  export function createRequire(path: string): (name: string) => unknown;
}
