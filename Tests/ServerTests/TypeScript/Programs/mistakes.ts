// What must not compile: exactly the lines that say so.
import { Client, ServiceError } from "./client";

export async function mistakes(client: Client, error: ServiceError): Promise<void> {
  await client.sessions.lst(); // error
  await client.sessions.get(); // error
  await client.sessions.get({ id: "1" }); // error
  await client.sessions.list({ frist: 3 }); // error
  await client.sessions.list({ order_by: ["-dat"] }); // error
  await client.sessions.list({ where: { modul: "x" } }); // error
  await client.sessions.list({ where: { modalite: "X" } }); // error
  await client.sessions.list({ where: { date: { after: "2026-01-01" } } }); // error
  await client.sessions.list({ select: "{ id modul }" }); // error
  await client.sessions.list({ select: "{ id client { nom } }" }); // error
  await client.sessions.create({ values: { module: "x" } }); // error
  await client.sessions.update({ id: 1, values: { version: 3 } }); // error
  await client.sessions.share({ id: 1, format: "fax" }); // error
  await client.auth.login({ email: "a@b.fr" }); // error
  await client.call("sessions.nope", {}); // error
  await client.sessions.aggregate({ select: "{ count }", group_by: ["month(module)"] }); // error
  const page = await client.sessions.list({ select: "{ id client { ville } }" });
  page.items[0]?.module; // error
  page.items[0]?.client.ville; // error
  const some = await client.sessions.aggregate({ select: "{ sum { marge } }", group_by: ["client_id"] });
  some.items[0]?.count; // error
  some.items[0]?.formateur_id; // error
  const [me] = await client.batch((b) => [b.auth.me({ select: "{ email }" })]);
  me.role; // error
  if (error.is("conflict")) error.data.retry_after; // error
  if (error.is("nope")) return; // error
}
