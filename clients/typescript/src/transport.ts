// One request, with what makes it bearable: retries, the store, and errors that have a type.
import { ApiError, byStatus, NetworkError } from "./errors.js";
import { readQuota } from "./response.js";
import { storeKey, type Entry, type Store } from "./store.js";

export const version = "0.1.0";
const longestWait = 60; // seconds; what asks for more is told to the caller
const inBrowser = "document" in globalThis || "WorkerGlobalScope" in globalThis; // it names itself

export interface Options {
  /** Raises the quota; embeddings need it. Whoever sees the source of a page sees the key in it. */
  apiKey?: string | undefined;
  /** Whatever is in it and has not changed is free. */
  store?: Store | undefined;
  /** How many seconds the service may be silent: 30. */
  timeout?: number | undefined;
  /** How often a request is sent again after a 429, a 503 and when the network fails: 4. */
  retries?: number | undefined;
  /** How many seconds a request may wait between attempts, in all: 120. */
  budget?: number | undefined;
}

export interface CallOptions {
  /** Ends the call, whatever it is doing. */
  signal?: AbortSignal | undefined;
}

export type Params = Readonly<Record<string, unknown>>;

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Sends requests to one service with one key. */
export class Transport {
  readonly baseUrl: string;
  readonly #apiKey: string;
  readonly #options: { store: Store | undefined; timeout: number; retries: number; budget: number };

  constructor(baseUrl: string, { apiKey = "", store, timeout = 30, retries = 4, budget = 120 }: Options) {
    let url: URL | undefined;
    try {
      url = new URL(baseUrl);
    } catch {
      // refused below
    }
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
      throw new TypeError("baseUrl is the address of the service, such as https://catalogue.example");
    }
    if (!/^[\x21-\x7e]*$/.test(apiKey)) throw new TypeError("apiKey has characters that no key has");
    this.baseUrl = url.href.replace(/\/+$/, "");
    this.#apiKey = apiKey;
    this.#options = { store, timeout, retries, budget };
  }

  /** Returns the body and the headers, and whether the body is that of the store. With keep, the store is used. */
  async get(path: string, params: Params, signal?: AbortSignal, keep = true): Promise<Reply & { held: boolean }> {
    const url = this.baseUrl + path + query(params);
    const store = keep ? this.#options.store : undefined;
    const key = store ? await storeKey(url, this.#apiKey) : "";
    const held = await store?.get(key);
    const reply = await this.#persist(url, held, signal);
    if (reply.status === 304 && held) {
      return { status: 200, headers: { ...held.headers, ...reply.headers }, body: held.body, held: true };
    }
    if (reply.status !== 200) throw apiError(reply, url);
    const etag = reply.headers["etag"];
    if (store && etag) {
      try {
        await store.put(key, { etag, headers: reply.headers, body: reply.body });
      } catch {
        // the response is right all the same
      }
    }
    return { ...reply, held: false };
  }

  /** Asks until there is an answer, or nothing is left of the retries or the budget. */
  async #persist(url: string, held: Entry | undefined, signal: AbortSignal | undefined): Promise<Reply> {
    let left = this.#options.budget;
    for (let attempt = 0; ; attempt++) {
      let reply: Reply | undefined;
      let failure: unknown;
      try {
        reply = await this.#once(url, held, signal);
      } catch (error) {
        signal?.throwIfAborted();
        failure = error;
      }
      if (reply && reply.status !== 429 && reply.status !== 503) return reply;
      const told = reply ? waitTold(reply.headers) : null;
      // Those who were refused together must not come back together: hence the chance in it, never less than told.
      const least = told ?? Math.min(15, 0.25 * 2 ** attempt);
      const wait = least + Math.random() * Math.min(told === null ? 15 : 1, least);
      if (attempt >= this.#options.retries || (told ?? 0) > longestWait || wait > left || pointless(failure)) {
        if (reply) return reply;
        throw new NetworkError(`no answer from ${this.baseUrl}: ${reasonOf(failure)}`, { cause: failure });
      }
      left -= wait;
      await pause(wait, signal);
    }
  }

  async #once(url: string, held: Entry | undefined, signal: AbortSignal | undefined): Promise<Reply> {
    const silence = new AbortController();
    const expire = () => silence.abort(new Error(`nothing came for ${this.#options.timeout} s`));
    let timer = setTimeout(expire, this.#options.timeout * 1000);
    try {
      const headers: Record<string, string> = { accept: "application/json, */*;q=0.5" };
      if (!inBrowser) headers["user-agent"] = `palmares-typescript/${version}`;
      if (this.#apiKey) headers["authorization"] = `Bearer ${this.#apiKey}`;
      if (held) headers["if-none-match"] = held.etag;
      const response = await fetch(url, {
        headers,
        credentials: "omit",
        redirect: "manual", // the key is for one service
        signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
      });
      const chunks: Uint8Array[] = [];
      const reader = response.body?.getReader();
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        chunks.push(part.value);
        clearTimeout(timer);
        timer = setTimeout(expire, this.#options.timeout * 1000);
      }
      return { status: response.status, headers: Object.fromEntries(response.headers), body: joined(chunks) };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Returns a path with a name in it, which can lead nowhere else. */
export function pathOf(template: string, name: string): string {
  if (["", ".", ".."].includes(name)) throw new TypeError(`${JSON.stringify(name)} is no name`);
  return template + encodeURIComponent(name);
}

export function apiError({ status, headers, body }: Reply, url = ""): ApiError {
  let about: Record<string, unknown> = {};
  try {
    about = Object(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    // somebody else answered
  }
  const text = (name: string): string | null => (typeof about[name] === "string" && about[name]) || null;
  return new (byStatus.get(status) ?? ApiError)(status, text("code"), text("error") ?? "this is no answer of the service", {
    requestId: headers["x-request-id"] ?? "",
    retryAfter: waitTold(headers),
    parameter: text("parameter"),
    successor: text("successor") ?? successorOf(headers["link"] ?? "", url),
    quota: readQuota(headers),
  });
}

function query(params: Params): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString(); // a list is joined by commas
  return text && `?${text}`;
}

/** Returns the seconds of Retry-After, which may be a date. */
function waitTold(headers: Readonly<Record<string, string>>): number | null {
  const text = (headers["retry-after"] ?? "").trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text), 366 * 86400);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000);
}

/** Returns the last part of the address that Link names as the successor of this one. */
function successorOf(link: string, url: string): string | null {
  const target = /<([^>]*)>[^,]*rel="successor-version"/.exec(link)?.[1];
  if (!target) return null;
  try {
    return new URL(target, url).pathname.split("/").at(-1) || null;
  } catch {
    return null;
  }
}

/** Reports whether the same would happen again: a certificate does not become valid by asking. */
function pointless(failure: unknown): boolean {
  const code = String((failure as { cause?: { code?: unknown } } | undefined)?.cause?.code);
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code);
}

function reasonOf(failure: unknown): string {
  const { message, cause } = failure as { message?: string; cause?: { message?: string } };
  return cause?.message || message || String(failure);
}

function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
