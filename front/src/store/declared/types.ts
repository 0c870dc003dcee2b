// What `rpc.domains` answers: the domains of the service, as far as the roles of the caller reach.

export interface Domain {
  readonly name: string;
  readonly label: string;
  readonly entities: readonly Entity[];
  readonly commands: readonly Command[];
}

export interface Role {
  readonly name: string;
  readonly label: string;
  /** The entity of which an account stands for a record in this role; without it, for none. */
  readonly subject?: string;
}

export interface Entity {
  readonly name: string;
  /** "livre", "livres". */
  readonly singular: string;
  readonly plural: string;
  readonly feminine: boolean;
  readonly view?: true;
  /** There is one record at most: its page stands where others have their list. */
  readonly single?: true;
  /** The journal has its changes. */
  readonly journal?: true;
  /** The paths of the fields that name a record: "title", or "reader.name" and "book.title". */
  readonly title: readonly string[];
  readonly columns: readonly Field[];
  readonly derived: readonly Field[];
  readonly relations: readonly Relation[];
  readonly search?: true;
  /** The default order: "title", "-date". */
  readonly order: readonly string[];
  /** What a view is asked with. */
  readonly parameters?: readonly Field[];
  /** The last parts of the methods that the caller may call: "list", "create". */
  readonly methods: readonly string[];
}

export interface Relation {
  readonly name: string;
  readonly label: string;
  readonly target: string;
  /** The column that refers to the other record; of a relation to many, the one in their table. */
  readonly column: string;
  readonly many?: true;
  /** The record is a part of the other one, and is deleted with it. */
  readonly part?: true;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly summary?: string;
  readonly type: "integer" | "decimal" | "text" | "choice" | "boolean" | "date" | "time" | "timestamp" | "uuid" | "json";
  readonly nullable?: true;
  readonly required?: true;
  /** No answer has the value. */
  readonly hidden?: true;
  readonly writes?: readonly ("create" | "update")[];
  readonly max_length?: number;
  readonly scale?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly values?: readonly number[];
  /** What people read in the place of numbers. */
  readonly number_labels?: Readonly<Record<string, string>>;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly accepts?: readonly string[];
  readonly format?: { readonly name: string; readonly message: string; readonly example?: string; readonly pattern?: string };
  readonly default?: unknown;
  /** The entity that a column or a parameter refers to. */
  readonly target?: string;
  /** Of a derived field: the entity from whose records it is computed. */
  readonly about?: string;
  readonly file?: { readonly kinds: readonly string[]; readonly max_bytes: number };
  readonly shape?: unknown;
}

export interface Command {
  /** "books.lend". */
  readonly name: string;
  readonly label: string;
  readonly summary: string;
  readonly entity: string;
  /** The parameter that names a record of `entity`. */
  readonly record?: string;
  readonly parameters: readonly Field[];
  readonly answers?: { readonly record?: string; readonly records?: string; readonly value?: unknown };
}
