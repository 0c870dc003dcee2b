export { append, each, Fragment, h, mount, useAddresses, type Child } from "./dom";
export { batch, computed, effect, onCleanup, scope, signal, untracked, type Signal } from "./signal";
