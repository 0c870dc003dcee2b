"use strict";
{
  const form = document.getElementById("signing");
  const pad = document.getElementById("pad");
  const field = document.getElementById("signature");
  const ink = pad.getContext("2d");
  let isDrawn = false;
  let last = null;

  const clear = () => {
    ink.clearRect(0, 0, pad.width, pad.height);
    ink.lineWidth = 3;
    ink.lineCap = ink.lineJoin = "round";
    ink.strokeStyle = ink.fillStyle = "#10182c";
    isDrawn = false;
  };
  const place = event => {
    const box = pad.getBoundingClientRect();
    return [(event.clientX - box.left) * pad.width / box.width, (event.clientY - box.top) * pad.height / box.height];
  };
  const draw = event => {
    const to = place(event);
    ink.beginPath();
    ink.moveTo(...last);
    ink.lineTo(...to);
    ink.stroke();
    last = to;
    isDrawn = true;
  };

  pad.addEventListener("pointerdown", event => {
    if (!event.isPrimary || event.button !== 0) return;
    event.preventDefault();
    pad.setPointerCapture(event.pointerId);
    last = place(event);
    draw(event);
  });
  pad.addEventListener("pointermove", event => {
    if (!last || !event.isPrimary) return;
    for (const step of event.getCoalescedEvents?.() ?? []) draw(step);
    draw(event);
  });
  for (const end of ["pointerup", "pointercancel"]) pad.addEventListener(end, () => { last = null; });
  document.getElementById("clear").addEventListener("click", clear);

  // The server takes 45,000 bytes: a drawing that has more is sent in half its size.
  const picture = (canvas, isWhole) => {
    const text = canvas.toDataURL("image/png").split(",")[1];
    if (text.length <= 56_000 || !isWhole) return text;
    const half = document.createElement("canvas");
    [half.width, half.height] = [canvas.width / 2, canvas.height / 2];
    half.getContext("2d").drawImage(canvas, 0, 0, half.width, half.height);
    return picture(half, false);
  };
  // A form that was refused comes back with what was drawn.
  const restore = async () => {
    const text = atob(field.value.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, character => character.charCodeAt(0));
    ink.drawImage(await createImageBitmap(new Blob([bytes])), 0, 0, pad.width, pad.height);
    isDrawn = true;
  };
  form.addEventListener("submit", () => {
    field.value = isDrawn ? picture(pad, true).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") : "";
    form.querySelector("[type=submit]").disabled = true;
  });
  // Programs that look at the links of mails move no pointer and press no key.
  const touches = ["pointerdown", "keydown", "wheel"];
  const touched = event => {
    if (!event.isTrusted) return;
    for (const kind of touches) removeEventListener(kind, touched, true);
    fetch(location.href, { method: "POST", body: new URLSearchParams({ opened: "oui" }), keepalive: true }).catch(() => {});
  };
  for (const kind of touches) addEventListener(kind, touched, { capture: true, passive: true });

  // The page may come back from the memory of the browser.
  addEventListener("pageshow", () => { form.querySelector("[type=submit]").disabled = false; });

  clear();
  document.getElementById("drawing").hidden = false;
  if (field.value !== "") restore().catch(() => {});
}
