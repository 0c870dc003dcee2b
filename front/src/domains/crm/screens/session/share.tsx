// The text of a session for others, as the service phrases it: each reader sees only the prices that concern them.

import { computed, effect, h, signal, untracked } from "view";
import type { Child } from "view";
import { openDialog } from "../../../../parts/dialog";
import { Icon } from "../../../../parts/icons";
import { Failure } from "../../../../parts/list";
import { say, warn } from "../../../../parts/notices";
import { Segments } from "../../../../parts/segments";
import { account, ask, client } from "../../../../store";

type Audience = "formateur" | "client" | "interne";
type Format = "text" | "discord" | "email" | "sms";

const audiences: readonly (readonly [Audience, string])[] = [["formateur", "Formateur"], ["client", "Client"], ["interne", "Interne"]];
const formats: readonly (readonly [Format, string])[] = [["text", "Texte"], ["discord", "Discord"], ["email", "E-mail"], ["sms", "SMS"]];

const prices: Record<Audience, string> = {
  formateur: "Ce destinataire voit le tarif sous-traitant et les frais à rembourser, jamais le tarif client ni la marge.",
  client: "Ce destinataire voit le tarif client, jamais le tarif sous-traitant, les frais ni la marge.",
  interne: "Ce destinataire voit tous les tarifs et la marge.",
};

export function openShare(id: number): void {
  openDialog({ heading: "Partager la session", body: () => <Share id={id} /> });
}

function Share({ id }: { id: number }): Child {
  const audience = signal<Audience>("formateur");
  const format = signal<Format>("text");
  const allowed = audiences.filter(([one]) => one !== "interne" || account()?.role === "admin");
  const shared = computed(() => {
    const [to, as] = [audience(), format()];
    return untracked(() => ask(`share ${id} ${to} ${as}`, () => client.sessions.share({ id, audience: to, format: as }), ["sessions"]));
  });
  // The message stands behind the dialog; the button itself shows that it is done.
  const copied = signal(false);
  effect(() => {
    shared();
    copied.set(false);
  });
  const text = (): string => shared().value()?.text ?? "";
  const copy = async (): Promise<boolean> => {
    try {
      await navigator.clipboard.writeText(text());
      copied.set(true);
      say("Texte copié");
      return true;
    } catch {
      warn("Le texte n’a pas pu être copié. Sélectionnez-le et copiez-le.");
      return false;
    }
  };
  const send = async (): Promise<void> => {
    const found = shared().value();
    if (found === undefined) return;
    try {
      await navigator.share({ title: found.subject ?? found.title, text: found.text });
    } catch (error) {
      // Closing the system's sheet is no failure.
      if (!(error instanceof DOMException && error.name === "AbortError")) warn("Le partage n’a pas abouti.");
    }
  };
  return (
    <div class="share">
      <Segments label="Destinataire" shown options={allowed} value={audience} set={audience.set} />
      <Segments label="Format" shown options={formats} value={format} set={format.set} />
      {() => {
        const subject = shared().value()?.subject;
        return subject ? <p class="share-subject"><span class="label">Objet</span>{subject}</p> : null;
      }}
      <div>
        <label class="label" for="share-text">Aperçu</label>
        <textarea
          id="share-text" readonly rows={() => String(Math.max(6, text().split("\n").length + 3))} value={text}
          aria-describedby="share-prices" aria-busy={() => (shared().value() === undefined ? "true" : null)}
        />
        <p class="hint" id="share-prices">{() => prices[audience()]}</p>
      </div>
      {() => {
        const failure = shared().value() === undefined ? shared().failure() : null;
        return failure === null ? null : <Failure text={failure.message} retry={() => void shared().refresh()} />;
      }}
      {() => {
        const url = shared().value()?.url ?? "";
        const missing = /^mailto:(\?|$)/.test(url) ? "adresse e-mail" : /^sms:([?&;]|$)/.test(url) ? "numéro de téléphone" : null;
        return missing === null ? null : (
          <p class="hint">Aucun{missing.startsWith("a") ? "e" : ""} {missing} n’est connu{missing.startsWith("a") ? "e" : ""} pour ce destinataire{"\u202f"}: à saisir dans le message.</p>
        );
      }}
      <div class="actions share-actions">
        <button type="button" class="primary" onclick={() => void copy()}>{() => <Icon name={copied() ? "check" : "copy"} />}Copier</button>
        {"share" in navigator
          ? <button type="button" onclick={() => void send()}><Icon name="share" />Partager…</button>
          : null}
        {() => {
          const url = shared().value()?.url;
          if (format() === "discord") {
            return (
              <button
                type="button"
                onclick={() => void copy().then((done) => {
                  if (done) window.open("https://discord.com/channels/@me", "_blank", "noopener");
                })}
              >
                <Icon name="message" />Ouvrir Discord
              </button>
            );
          }
          if (!url) return null;
          return <a class="button" href={url} target="_blank" rel="noopener"><Icon name={format() === "email" ? "mail" : "message"} />{format() === "email" ? "Ouvrir l’e-mail" : "Ouvrir le SMS"}</a>;
        }}
      </div>
    </div>
  );
}
