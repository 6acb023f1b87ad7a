// Responses that were read before, so that asking again is free while nothing has changed.

/** A response as it arrived, decompressed. */
export interface Entry {
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Holds entries by a key that is made of the URL and a hash of the API key. It may forget any of them. */
export interface Store {
  get(key: string): Promise<Entry | undefined> | Entry | undefined;
  put(key: string, entry: Entry): Promise<void> | void;
}

/** Returns the name of a response: what one API key gets is never shown to another. */
export async function storeKey(url: string, apiKey: string): Promise<string> {
  return `${apiKey ? await sha256(new TextEncoder().encode(apiKey)) : "anonymous"} ${url}`;
}

export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Holds the responses that were used last, as long as the program runs. `maxBytes` bounds their bodies. */
export class MemoryStore implements Store {
  readonly #entries = new Map<string, Entry>();
  #size = 0;

  constructor(readonly maxBytes = 64 * 2 ** 20) {}

  get(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry) {
      this.#entries.delete(key); // the map is in order of use
      this.#entries.set(key, entry);
    }
    return entry;
  }

  put(key: string, entry: Entry): void {
    this.#delete(key);
    this.#entries.set(key, entry);
    this.#size += entry.body.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.maxBytes) break;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#size -= this.#entries.get(key)?.body.length ?? 0;
    this.#entries.delete(key);
  }
}
