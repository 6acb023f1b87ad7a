// The operations of the API, each a method of its name.
import type { components, operations } from "./contract.js";
import { NotFoundError } from "./errors.js";
import { Changes, Pages, type Page } from "./pages.js";
import { Download, Response } from "./response.js";
import { apiError, pathOf, Transport, type CallOptions, type Options, type Params } from "./transport.js";

type Operation = keyof operations;

/** The body of an operation, as the contract has it. */
export type Body<K extends Operation> = operations[K] extends { responses: { 200: { content: { "application/json": infer B } } } } ? B : never;

type Raw<K extends Operation> = NonNullable<operations[K]["parameters"]["query"]>;

/** The parameters of an operation, as the contract has them. What it joins by commas may be a list. */
export type Query<K extends Operation> = { [P in keyof Raw<K>]: undefined | (Raw<K>[P] extends string | undefined ? Raw<K>[P] | readonly string[] : Raw<K>[P]) };

type Item<K extends Operation> = Body<K> extends { data: (infer T extends { slug: string })[] } ? T : never;

type EmbeddingsDocument = components["schemas"]["EmbeddingsDocument"];

/** What to do with the vectors of a tool: make them of `document`, or delete them where that is null. */
export interface EmbeddingsUpdate {
  slug: string;
  document: EmbeddingsDocument | null;
}

const mostSingle = 3; // documents that are asked for one by one; the download of all costs one request too

/**
 * Calls one installation of the service, of which `baseUrl` is the address.
 *
 * A request is sent again after a 429, a 503 and when the network fails. A wait of more than a minute is an error that says
 * until when.
 */
export class Client {
  readonly #transport: Transport;

  constructor(baseUrl: string, options: Options = {}) {
    this.#transport = new Transport(baseUrl, options);
  }

  /** Asks for any path of the API: for what is newer than this client. */
  async get<T = unknown>(path: string, params: Params = {}, { signal }: CallOptions = {}): Promise<Response<T>> {
    return this.#get(path, params, signal);
  }

  async #get<T>(path: string, params: Params, signal: AbortSignal | undefined, keep = true): Promise<Response<T>> {
    const reply = await this.#transport.get(path, params, signal, keep);
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder().decode(reply.body));
    } catch {
      // refused below
    }
    if (typeof value !== "object" || !value) throw apiError(reply); // a gateway answered, or the network of a hotel
    return new Response(value as T, reply.headers, reply.held);
  }

  #pages<K extends Operation>(path: string, params: Params, signal?: AbortSignal): Pages<Item<K>> {
    return new Pages<Item<K>>((more) => this.#get<Page<Item<K>>>(path, more, signal), params);
  }

  async #download(path: string, signal?: AbortSignal): Promise<Download> {
    const reply = await this.#transport.get(path, {}, signal);
    if (!reply.headers["x-changes-cursor"]) throw apiError(reply);
    return new Download(reply.body, reply.headers, reply.held);
  }

  /** The active tools, searched, filtered and sorted. */
  listTools(query: Query<"listTools"> = {}, { signal }: CallOptions = {}) {
    return this.#pages<"listTools">("/api/v1/tools", query, signal);
  }

  /** One active tool. */
  getTool(slug: string, { signal }: CallOptions = {}) {
    return this.#get<Body<"getTool">>(pathOf("/api/v1/tools/", slug), {}, signal);
  }

  /** The comparisons of two tools. */
  listComparisons(query: Query<"listComparisons"> = {}, { signal }: CallOptions = {}) {
    return this.#pages<"listComparisons">("/api/v1/comparatifs", query, signal);
  }

  /** One comparison, with its winner. */
  getComparison(slug: string, { signal }: CallOptions = {}) {
    return this.#get<Body<"getComparison">>(pathOf("/api/v1/comparatifs/", slug), {}, signal);
  }

  /** The current prices. */
  listPrices(query: Query<"listPrices"> = {}, { signal }: CallOptions = {}) {
    return this.#pages<"listPrices">("/api/v1/pricing", query, signal);
  }

  /** The price of a tool, with its history. */
  getPrice(slug: string, { signal }: CallOptions = {}) {
    return this.#get<Body<"getPrice">>(pathOf("/api/v1/pricing/", slug), {}, signal);
  }

  /** The cemetery: the tools that are no more. */
  listRetiredTools(query: Query<"listRetiredTools"> = {}, { signal }: CallOptions = {}) {
    return this.#pages<"listRetiredTools">("/api/v1/cimetiere", query, signal);
  }

  /** One retired tool, with what it was at its end. */
  getRetiredTool(slug: string, { signal }: CallOptions = {}) {
    return this.#get<Body<"getRetiredTool">>(pathOf("/api/v1/cimetiere/", slug), {}, signal);
  }

  /** The tools as they were on a day. */
  listToolsOfDay(query: Query<"listToolsOfDay">, { signal }: CallOptions = {}) {
    return this.#pages<"listToolsOfDay">("/api/v1/history", query, signal);
  }

  /** What was true of a tool, and when. */
  getHistory(slug: string, query: Query<"getHistory"> = {}, { signal }: CallOptions = {}) {
    return this.#get<Body<"getHistory">>(pathOf("/api/v1/history/", slug), query, signal);
  }

  /** How well the catalogue is sourced. */
  getFactStats({ signal }: CallOptions = {}) {
    return this.#get<Body<"getFactStats">>("/api/v1/facts", {}, signal);
  }

  /** The sources of what is said of a tool. */
  getFacts(slug: string, { signal }: CallOptions = {}) {
    return this.#get<Body<"getFacts">>(pathOf("/api/v1/facts/", slug), {}, signal);
  }

  /** The announced ends. */
  listEndings(query: Query<"listEndings"> = {}, { signal }: CallOptions = {}) {
    return this.#pages<"listEndings">("/api/v1/endings", query, signal);
  }

  /** What speaks against the tools that you use. */
  listFindings(query: Query<"listFindings">, { signal }: CallOptions = {}) {
    return this.#get<Body<"listFindings">>("/api/v1/findings", query, signal);
  }

  /** What tools cost together, month by month. */
  getBill(query: Query<"getBill">, { signal }: CallOptions = {}) {
    return this.#get<Body<"getBill">>("/api/v1/bill", query, signal);
  }

  /** Two to five tools side by side. */
  compareTools(query: Query<"compareTools">, { signal }: CallOptions = {}) {
    return this.#get<Body<"compareTools">>("/api/v1/compare", query, signal);
  }

  /** All categories. */
  listCategories({ signal }: CallOptions = {}) {
    return this.#get<Body<"listCategories">>("/api/v1/categories", {}, signal);
  }

  /** What changed after a cursor. It is free while nothing does, and never stored. */
  listChanges(query: Query<"listChanges"> = {}, { signal }: CallOptions = {}) {
    return new Changes((more) => this.#get<Body<"listChanges">>("/api/v1/changes", more, signal, false), query);
  }

  /** The catalogue in numbers. */
  getStats({ signal }: CallOptions = {}) {
    return this.#get<Body<"getStats">>("/api/v1/stats", {}, signal);
  }

  /** The tools whose chunks are served. Needs a key. */
  listEmbeddings({ signal }: CallOptions = {}) {
    return this.#get<Body<"listEmbeddings">>("/api/embeddings", {}, signal);
  }

  /** The review of a tool in chunks. Needs a key. */
  getEmbeddings(slug: string, { signal }: CallOptions = {}) {
    return this.#get<Body<"getEmbeddings">>(pathOf("/api/embeddings/", slug), {}, signal);
  }

  /**
   * Yields the tools whose vectors are to be made or deleted. Needs a key.
   *
   * `known` has the hash that you keep for each slug. Only what has another hash is asked for: one request for the list, then
   * one for each of up to three tools, or one for all.
   */
  async *syncEmbeddings(known: Readonly<Record<string, string>>, options: CallOptions = {}): AsyncGenerator<EmbeddingsUpdate, void, undefined> {
    const held = new Map(Object.entries(known));
    const listed = (await this.listEmbeddings(options)).value.data;
    const there = new Set(listed.map((item) => item.slug));
    for (const slug of held.keys()) {
      if (!there.has(slug)) yield { slug, document: null };
    }
    const changed = listed.filter(({ slug, hash }) => held.get(slug) !== hash);
    const rows = changed.length > mostSingle ? (await this.downloadEmbeddings(options)).rows<EmbeddingsDocument>() : [];
    const documents = new Map(rows.map((row) => [row.slug, row]));
    for (const { slug, hash } of changed) {
      let document = documents.get(slug) ?? null;
      if (document?.hash !== hash) { // the file may be of the edition before
        try {
          document = (await this.getEmbeddings(slug, options)).value;
        } catch (error) {
          if (!(error instanceof NotFoundError)) throw error;
          document = null; // it left the set in between
        }
      }
      if (document || held.has(slug)) yield { slug, document };
    }
  }

  /** A table of the catalogue, whole: `tools.jsonl`, `pricing.csv` and so on. */
  downloadFile(file: operations["downloadFile"]["parameters"]["path"]["file"], { signal }: CallOptions = {}): Promise<Download> {
    return this.#download(pathOf("/api/v1/export/", file), signal);
  }

  /** The downloads and their columns. */
  getDataPackage({ signal }: CallOptions = {}) {
    return this.#get<Body<"getDataPackage">>("/api/v1/export/datapackage.json", {}, signal);
  }

  /** The chunks of all tools, in JSON Lines. Needs a key. */
  downloadEmbeddings({ signal }: CallOptions = {}): Promise<Download> {
    return this.#download("/api/embeddings/export.jsonl", signal);
  }

  /** The requests of your account. Needs a key. */
  getUsage({ signal }: CallOptions = {}) {
    return this.#get<Body<"getUsage">>("/api/v1/usage", {}, signal);
  }

  /** The operations, with their addresses. */
  getIndex({ signal }: CallOptions = {}) {
    return this.#get<Body<"getIndex">>("/api/v1", {}, signal);
  }

  /** The contract, in OpenAPI. */
  getDescription({ signal }: CallOptions = {}) {
    return this.#get<Body<"getDescription">>("/api/v1/openapi.json", {}, signal);
  }
}
