// Sends a form as it is, without leaving the page.
// Upgrades: nothing itself. Listens to: nothing. Sends: the form's fields and its button, asking for JSON.

const SIGNED_OUT = "You are signed out. Load the page again and sign in.";
const NO_CONNECTION = "Not sent: there is no connection to the server.";

// Resolves to null when it was done, otherwise to the reason it was not. More: pairs of name and value to send too.
export async function submitForm(form, submitter, more = []) {
  const body = new FormData(form, submitter);
  for (const [name, value] of more) body.append(name, value);
  const request = {
    method: "POST",
    body,
    headers: { Accept: "application/json" },
    redirect: "manual",
  };
  const address = submitter?.getAttribute("formaction") ?? form.action;
  const answer = await fetch(address, request).catch(() => null);
  if (!answer) return NO_CONNECTION;
  if (answer.type === "opaqueredirect") return SIGNED_OUT;
  if (answer.ok) return null;
  const reason = await answer.json().catch(() => ({}));
  return reason.error ?? `Not done: the server answered ${answer.status}. Load the page again.`;
}
