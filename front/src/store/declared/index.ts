// What screens of declared entities use beside the rest of the store. The first script does without.

export { press, createAny, remove, updateAny, type Press, type Pressing } from "../pressing";
export type { AnyOutcome } from "../outcomes";
export { callDeclared } from "./call";
export { followsOf, wholeSelect } from "../figures";
export type { AnyRow, Values } from "../rows";
export { declare, isWhole } from "./declare";
export { domains, isKernel, loadDomains } from "./domains";
export { comparison, matcher, valueAt } from "./match";
export { pagesOf, type PageList, type PagesRequest } from "./pages";
export { anyRecord } from "./record";
export { tablesOf, type DeclaredTable } from "./tables";
export type { Command, Domain, Entity, Field, Relation, Role } from "./types";
