// A client of the Palmarès API. Start with Client; the contract describes what it returns.
export { Client, type Body, type EmbeddingsUpdate, type Query } from "./client.js";
export type { components, operations } from "./contract.js";
export {
  ApiError, AuthenticationError, BadRequestError, GoneError, NetworkError, NotFoundError, PagesMovedError, PalmaresError,
  QuotaExceededError, UnavailableError, WebhookError, type Quota,
} from "./errors.js";
export { Changes, Pages, type Page } from "./pages.js";
export { Download, Response } from "./response.js";
export { MemoryStore, type Entry, type Store } from "./store.js";
export { version, type CallOptions, type Options } from "./transport.js";
export { verifyWebhook, type Event } from "./webhooks.js";
