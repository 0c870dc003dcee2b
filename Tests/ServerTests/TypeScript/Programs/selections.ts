// The types of selections, in every way of writing them.
import { Aggregated, Loose, Selected } from "./client";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
/** Fails to compile unless every member of T is `true`. */
type Hold<T extends true[]> = T;
type Session<S extends string, R> = Same<Selected<"sessions", S>, R>;
type Trainer<S extends string, R> = Same<Selected<"formateurs", S>, R>;
type Numbers<S extends string, R> = Same<Aggregated<"sessions", S, never>, R>;

type ID = { id: number };
type Sessions = { sessions: ID[] };

export type Written = Hold<[
  Session<"{ id module }", { id: number; module: string }>,
  Session<"{id,module,date}", { id: number; module: string; date: string }>,
  Session<"{ x : id y:module }", { x: number; y: string }>,
  Session<"\n  {\n    id\n\n\tclient {\r\n      id\r\n    }\n  }\n", { id: number; client: ID | null }>,
  Session<"\uFEFF{\uFEFFid }\uFEFF", ID>,
  Session<"{ c: client { v: ville __typename } }", { c: { v: string | null; __typename: "clients" } | null }>,
  Session<"{ __typename t: __typename }", { __typename: "sessions"; t: "sessions" }>,
  Session<"{ id id }", ID>,
  Session<"{ client { id } client { ville } }", { client: { id: number; ville: string | null } | null }>,
  Trainer<"{sessions(first:3){id}nom exterieur}", { sessions: ID[]; nom: string; exterieur: 0 | 1 }>,
  Trainer<"{ s: sessions { id } t: sessions { date } }", { s: ID[]; t: { date: string }[] }>,
]>;

export type Comments = Hold<[
  Session<"# first\n{ id }", ID>,
  Session<"{ id # note }\n module }", { id: number; module: string }>,
  Session<"{ id # \"note\n module }", { id: number; module: string }>,
  Session<"{ id #\r module\r }", { id: number; module: string }>,
  Session<"{ id #\r\n module # { }", Loose>,
  Session<"{ id }\n# done", ID>,
  Session<"{ id } # \"\"\"", ID>,
  Trainer<"{ sessions(first: 3 # three)\n) { id } }", Sessions>,
]>;

export type Strings = Hold<[
  Trainer<'{ sessions(search: "a)b") { id } }', Sessions>,
  Trainer<'{ sessions(search: "(") { id } }', Sessions>,
  Trainer<'{ sessions(search: "") { id } }', Sessions>,
  Trainer<'{ sessions(search: "#", first: 3) { id } }', Sessions>,
  Trainer<'{ sessions(search: "a\\"b") { id } }', Sessions>,
  Trainer<'{ sessions(search: "\\\\") { id } nom }', { sessions: ID[]; nom: string }>,
  Trainer<'{ sessions(search: "\\\\\\") { nom } } #") { id } }', Sessions>,
  Trainer<'{ sessions(search: "\\u00e9\\n") { id } }', Sessions>,
  Trainer<'{ sessions(search: """blo"ck""") { id } }', Sessions>,
  Trainer<'{ sessions(search: """a ""\\""" ) { nom\n"} # """) { id } }', Sessions>,
  Trainer<'{ sessions(search: "{ x", where: {module: "}"}) { id } }', Sessions>,
]>;

export type Fragments = Hold<[
  Session<"{ ...A } fragment A on sessions { id client { ...B } } fragment B on clients { ville }",
    { id: number; client: { ville: string | null } | null }>,
  Session<"{ ... A }\nfragment\tA\non  sessions{ id }", ID>,
  Session<"{ ...A }\nfragment A on sessions\n{ id }", ID>,
  Session<"{...A...B} fragment A on sessions{client{id}}fragment B on sessions{client{ville}}",
    { client: { id: number; ville: string | null } | null }>,
  Session<"{ ...Ab ...A } fragment Ab on sessions { id } fragment A on sessions { module }",
    { id: number; module: string }>,
  Session<"{ ...A }\n# fragment A on clients { ville }\nfragment A on sessions { id }", ID>,
  Session<"{ fragment: id on: module }", { fragment: number; on: string }>,
  Trainer<'{ ...A sessions(search: "fragment A on clients { ville }") { id } } fragment A on formateurs { nom }',
    { nom: string; sessions: ID[] }>,
  Trainer<'{ sessions(search: """ } fragment A on clients { ville } """) { ...A } } fragment A on sessions { id }',
    Sessions>,
]>;

export type Computed = Hold<[
  Session<string, Loose>,
  Session<`{ id ${string} }`, Loose>,
  Session<"{ id }" | "{ module }", ID | { module: string }>,
]>;

/** 150 aliases. */
type Aliases = `{
  a0: id a1: id a2: id a3: id a4: id a5: id a6: id a7: id a8: id a9: id b0: id b1: id b2: id b3: id b4: id b5: id
  b6: id b7: id b8: id b9: id c0: id c1: id c2: id c3: id c4: id c5: id c6: id c7: id c8: id c9: id d0: id d1: id
  d2: id d3: id d4: id d5: id d6: id d7: id d8: id d9: id e0: id e1: id e2: id e3: id e4: id e5: id e6: id e7: id
  e8: id e9: id f0: id f1: id f2: id f3: id f4: id f5: id f6: id f7: id f8: id f9: id g0: id g1: id g2: id g3: id
  g4: id g5: id g6: id g7: id g8: id g9: id h0: id h1: id h2: id h3: id h4: id h5: id h6: id h7: id h8: id h9: id
  i0: id i1: id i2: id i3: id i4: id i5: id i6: id i7: id i8: id i9: id j0: id j1: id j2: id j3: id j4: id j5: id
  j6: id j7: id j8: id j9: id k0: id k1: id k2: id k3: id k4: id k5: id k6: id k7: id k8: id k9: id l0: id l1: id
  l2: id l3: id l4: id l5: id l6: id l7: id l8: id l9: id m0: id m1: id m2: id m3: id m4: id m5: id m6: id m7: id
  m8: id m9: id n0: id n1: id n2: id n3: id n4: id n5: id n6: id n7: id n8: id n9: id o0: id o1: id o2: id o3: id
  o4: id o5: id o6: id o7: id o8: id o9: module
}`;
export type Large = Hold<[
  Same<Selected<"sessions", Aliases>["n9"], number>,
  Same<Selected<"sessions", Aliases>["o9"], string>,
  Trainer<
    "{ sessions(first: 1) { formateur { sessions(first: 1) { client { sessions(first: 1) { ecole { nom } } } } } } }",
    { sessions: { formateur: { sessions: { client: { sessions: { ecole: { nom: string } | null }[] } | null }[] } | null }[] }
  >,
]>;

export type Aggregates = Hold<[
  Numbers<"{ count }", { count: number }>,
  Numbers<"{n:count,sum{marge}# all\n}", { n: number; sum: { marge: number } }>,
  Numbers<"{ sum { marge } sum { m: marge tarif_client } }", { sum: { marge: number; m: number; tarif_client: number } }>,
  Numbers<"{ min { debut date created_at id } avg { duree_minutes } }", {
    min: { debut: string | null; date: string | null; created_at: string | null; id: number | null };
    avg: { duree_minutes: number | null };
  }>,
  Numbers<string, Loose>,
]>;
