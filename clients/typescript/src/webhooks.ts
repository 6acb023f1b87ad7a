// Webhooks: which requests the service sent (Standard Webhooks).
import { WebhookError } from "./errors.js";

/** What a webhook tells. What `data` has depends on `type`; that of a `webhook.test` has the `challenge` to answer. */
export interface Event {
  type: string;
  timestamp: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  data: Record<string, any>;
}

export interface VerifyOptions {
  /** How many seconds the clocks may differ by: 300. */
  tolerance?: number;
  /** The time in seconds, for tests. */
  now?: number;
}

type HeadersLike = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the event of a request that the service signed. Throws a WebhookError for every other request.
 *
 * `body` is the body as it arrived, before any parsing. `secrets` is the secret of the endpoint, or several while one is
 * replaced by another.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeadersLike,
  secrets: string | readonly string[],
  { tolerance = 300, now = Date.now() / 1000 }: VerifyOptions = {},
): Promise<Event> {
  const pairs = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const given = new Map(pairs.map(([name, value]) => [name.toLowerCase(), String(value ?? "")]));
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => {
    const value = given.get(name);
    if (!value) throw new WebhookError(`the request has no ${name}`);
    return value;
  }) as [string, string, string];
  if (!/^\d{1,14}$/.test(timestamp)) throw new WebhookError("webhook-timestamp is not a number of seconds");
  if (Math.abs(now - Number(timestamp)) > tolerance) {
    throw new WebhookError("webhook-timestamp is too far from the clock of this machine");
  }
  const raw = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + raw.length);
  signed.set(head);
  signed.set(raw, head.length);
  if (!(await matches(signed, signatures, typeof secrets === "string" ? [secrets] : secrets))) {
    throw new WebhookError("no signature of the request is of this secret");
  }
  let event: Partial<Event> | null = null;
  try {
    event = JSON.parse(new TextDecoder().decode(raw));
  } catch {
    // refused below
  }
  if (typeof event?.type !== "string" || typeof event.data !== "object" || !event.data) throw new WebhookError("the body is no event");
  return event as Event;
}

/** Reports whether one of the signatures is of one of the secrets, in constant time. */
async function matches(signed: Uint8Array<ArrayBuffer>, signatures: string, secrets: readonly string[]): Promise<boolean> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  let found = false;
  for (const secret of secrets) {
    const bytes = fromBase64(secret.replace(/^whsec_/, ""));
    if (!bytes?.length) throw new TypeError("a webhook secret is whsec_ and base64");
    const key = await crypto.subtle.importKey("raw", bytes, hmac, false, ["verify"]);
    for (const signature of signatures.split(" ")) {
      const claimed = signature.startsWith("v1,") && fromBase64(signature.slice(3));
      if (claimed && (await crypto.subtle.verify(hmac, key, claimed, signed))) found = true;
    }
  }
  return found;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
