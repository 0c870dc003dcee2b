// The accounts, for administrators.

import { computed, h } from "view";
import type { Child } from "view";
import { Icon } from "../parts/icons";
import { Empty, RecordList } from "../parts/list";
import { Near } from "../parts/near";
import { filtersOf } from "../parts/place";
import { Search } from "../parts/search";
import { isServed } from "../parts/served";
import type { Screen } from "../parts/shell";
import { account, ask, client } from "../store";
import { companies } from "../store/company";
import { compareNames, count, fold, initials, matches, sentence } from "../words/sentences";
import { invite } from "./utilisateur/invite";

const usersKey = "users";

async function all() {
  const rows = [];
  for await (const row of client.users.listAll({ first: 500, order_by: ["email"], select: "{ id email username role is_active invitation }" })) rows.push(row);
  const name = (row: { username: string | null; email: string }): string => row.username ?? row.email;
  return rows.sort((a, b) => compareNames(name(a), name(b)));
}

export default function utilisateurs(): Screen {
  return {
    heading: () => "Utilisateurs",
    actions: [
      () => (isServed("/organisme") ? <a class="button" href="/organisme"><Icon name="document" />Organisme</a> : null),
      <a class="button" href="/envois"><Icon name="share" />Envois</a>,
      <a class="button" href="/taches"><Icon name="clock" />Tâches planifiées</a>,
      () => (companies().length > 1
        ? <button type="button" class="primary new" onclick={invite}><Icon name="plus" /><span>Inviter</span></button>
        : <a class="button primary new" href="/utilisateurs/nouveau"><Icon name="plus" /><span>Nouvel utilisateur</span></a>),
    ],
    body: <Beside />,
  };
}

/** The list: the screen of it, and beside an account. */
export function Beside(): Child {
  const users = ask(usersKey, all, ["users"]);
  const filters = filtersOf("/utilisateurs");
  const search = (): string => filters.values()["q"] ?? "";
  const rows = computed(() => users.value()?.filter((row) => matches(search(), row.username, row.email)));
  const roleName = (role: string): string => (role === "admin" ? "Administrateur" : "Utilisateur");
  return (
    <div>
      <div class="toolbar"><Search label="Rechercher un utilisateur" value={search} set={(q) => filters.set({ q })} /></div>
      <RecordList
        name="Utilisateurs" rows={rows} href={(row) => `/utilisateurs/${row.id}`}
        sentence={(row) => sentence(
          row.username ?? row.email, row.username ? row.email : null, roleName(row.role), row.invitation ? "Invité" : null,
          row.is_active ? null : "Compte désactivé")}
        results={() => (rows() === undefined ? "" : count(rows()!.length, "utilisateur"))}
        failure={() => users.failure()?.message ?? null} retry={() => void users.refresh()}
        empty={() => (
          <Empty text="Aucun utilisateur ne correspond à cette recherche.">
            <Near search={search} set={(q) => filters.set({ q })} rows={() => users.value()} text={(row) => fold(`${row.username ?? ""} ${row.email}`)}
              record={(row) => ({ href: `/utilisateurs/${row.id}`, label: row.username ?? row.email })} />
          </Empty>
        )}
        row={(row) => (
          <span class="row-inside">
            <span class="avatar">{initials(row.username ?? row.email)}</span>
            <span class="row-main">
              <span class="row-title">{row.username ?? row.email}</span>
              <span class="row-detail">
                <span class="role-detail">{roleName(row.role)}{row.username ? " · " : ""}</span>
                {row.username ? row.email : ""}
              </span>
            </span>
            <span class="row-end">
              {row.invitation && row.is_active ? <span class="badge">Invité</span> : null}
              {row.is_active ? null : <span class="badge warn">Désactivé</span>}
              {row.id === account()?.id ? <span class="badge">Vous</span> : null}
              <span class="role-word">{roleName(row.role)}</span>
            </span>
          </span>
        )} />
    </div>
  );
}
