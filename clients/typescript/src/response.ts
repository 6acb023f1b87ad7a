// What the service answers: the body, and what its headers say.
import type { Quota } from "./errors.js";

/** A response. Its `value` is the body as the contract describes it; fields that are newer than this client are there too. */
export class Response<T> {
  constructor(
    readonly value: T,
    /** All headers that a script may read, by their names in lower case. */
    readonly headers: Readonly<Record<string, string>>,
    /** Whether the body is the one of the store, because the service says that nothing has changed. That is free. */
    readonly notModified: boolean,
  ) {}

  /** What the plan of the key leaves; null without a key. */
  get quota(): Quota | null {
    return readQuota(this.headers);
  }

  get requestId(): string {
    return this.headers["x-request-id"] ?? "";
  }

  /** The credit line to show wherever the data is reused. */
  get attribution(): string {
    return decoded(this.headers["x-attribution"] ?? "");
  }

  /** The day of the edition of the catalogue, as YYYY-MM-DD. */
  get updatedAt(): string {
    return this.headers["x-service-updated-at"] ?? "";
  }

  /** Where to go on from with listChanges, of a page or a download. */
  get cursor(): string {
    return this.headers["x-changes-cursor"] ?? "";
  }
}

/** A file of the catalogue, whole and of one edition. `cursor` is where to go on from with listChanges. */
export class Download extends Response<Uint8Array> {
  text(): string {
    return new TextDecoder().decode(this.value);
  }

  /** Returns the objects of a file in JSON Lines. */
  rows<T = Record<string, unknown>>(): T[] {
    return this.text().split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line) as T);
  }
}

export function readQuota(headers: Readonly<Record<string, string>>): Quota | null {
  const tier = headers["x-ratelimit-tier"];
  if (!tier) return null;
  const remaining = headers["x-ratelimit-remaining"] ?? "";
  const reset = new Date(headers["x-ratelimit-reset"] ?? "");
  return { tier, remaining: /^\d+$/.test(remaining) ? Number(remaining) : null, reset: Number.isNaN(reset.getTime()) ? null : reset };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
