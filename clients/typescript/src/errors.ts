// What goes wrong, as classes: whom it is up to, and when to come back.

/** What the plan of the key leaves. On Pro, which has no limit, only the tier is known. */
export interface Quota {
  /** `free` (Developer) or `pro`. */
  readonly tier: string;
  /** The requests left today, after this one. */
  readonly remaining: number | null;
  /** When the count begins again. */
  readonly reset: Date | null;
}

/** The base of every error of this package. What was wrong with an argument is a TypeError. */
export class PalmaresError extends Error {
  override name = "PalmaresError";
}

/** No whole response arrived, however often it was asked for. `cause` says why. */
export class NetworkError extends PalmaresError {
  override name = "NetworkError";
}

/** The catalogue was published each time while its pages were being read. */
export class PagesMovedError extends PalmaresError {
  override name = "PagesMovedError";
}

/** The request is not one that the service signed within the last minutes. */
export class WebhookError extends PalmaresError {
  override name = "WebhookError";
}

export interface ErrorDetails {
  readonly requestId: string;
  readonly retryAfter: number | null;
  readonly parameter: string | null;
  readonly successor: string | null;
  readonly quota: Quota | null;
}

/**
 * The service answered with an error. Branch on `code`. One that you do not know is to be taken for its `status`. Quote
 * `requestId` when you report a problem.
 */
export class ApiError extends PalmaresError {
  override name = "ApiError";
  /** How many seconds to wait, after a 429 and a 503. It is null where nobody said. */
  readonly retryAfter: number | null;
  /** The time at which they are over. */
  readonly retryAt: Date | null;
  readonly requestId: string;
  /** The parameter at fault, of a BadRequestError. */
  readonly parameter: string | null;
  /** The slug to use instead: of a retired tool its successor, of a renamed item its own. */
  readonly successor: string | null;
  readonly quota: Quota | null;

  constructor(
    readonly status: number,
    /** The reason, for programs; null where somebody other than the service answered. */
    readonly code: string | null,
    /** The reason, for people. */
    readonly reason: string,
    details: ErrorDetails,
  ) {
    super(`${status}${code ? ` ${code}` : ""}: ${reason}`);
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.retryAt = details.retryAfter === null ? null : new Date(Date.now() + details.retryAfter * 1000);
    this.parameter = details.parameter;
    this.successor = details.successor;
    this.quota = details.quota;
  }
}

/** 400: a parameter is not allowed. */
export class BadRequestError extends ApiError {
  override name = "BadRequestError";
}

/** 401: the API key is missing, not valid or dormant. */
export class AuthenticationError extends ApiError {
  override name = "AuthenticationError";
}

/** 404: nothing has this name, or no longer; `successor` is what to use instead. */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}

/** 410: the log no longer has what follows the cursor. Start again from a download. */
export class GoneError extends ApiError {
  override name = "GoneError";
}

/** 429: the quota is used up until `retryAt`. */
export class QuotaExceededError extends ApiError {
  override name = "QuotaExceededError";
}

/** 503: the service cannot answer now; it can at `retryAt`. */
export class UnavailableError extends ApiError {
  override name = "UnavailableError";
}

export const byStatus = new Map<number, typeof ApiError>([
  [400, BadRequestError],
  [401, AuthenticationError],
  [404, NotFoundError],
  [410, GoneError],
  [429, QuotaExceededError],
  [503, UnavailableError],
]);
