/** One detail of a refused request, as the API server reports it. */
export interface StatusCause {
  /** Machine-readable kind of the detail, such as `FieldValueInvalid`. */
  readonly reason?: string;
  /** What is wrong, for people. */
  readonly message?: string;
  /** Path of the field at fault, such as `spec.containers[0].image`. */
  readonly field?: string;
}

/** The `Status` object that the API server answers failed requests with. */
export interface StatusBody {
  kind?: string;
  status?: string;
  reason?: string;
  message?: string;
  code?: number;
  details?: { name?: string; kind?: string; uid?: string; causes?: StatusCause[]; retryAfterSeconds?: number };
}

/**
 * The API server answered, and the answer is a failure. The predicates follow `k8s.io/apimachinery/pkg/api/errors`: several reasons
 * share one HTTP status (409 is a conflict or a name that is taken), so they look at the reason first.
 */
export class ApiError extends Error {
  /** HTTP status code. */
  public readonly status: number;
  /** CamelCase reason such as `NotFound`, `Conflict`, `AlreadyExists`; empty when the answer came from a proxy and carries none. */
  public readonly reason: string;
  /** Details, one per wrong field for `Invalid`. */
  public readonly causes: readonly StatusCause[];
  /** How long the server asks to stay away, in seconds. */
  public readonly retryAfterSeconds?: number;
  /** Plural of the kind that the answer is about. @default - the answer names none */
  private readonly what?: string;
  /** The message of the server alone, without the description of the request. */
  public readonly serverMessage: string;

  /**
   * @param request what was asked, for the message: `create pods "ns/name"`.
   * @param status HTTP status code, or the `code` of the `Status` object in an ERROR event of a watch.
   */
  public constructor(request: string, status: number, body: StatusBody = {}, retryAfterSeconds?: number) {
    const reason = body.reason ?? '';
    const serverMessage = body.message ?? '';
    super(`${request}: ${status}${reason === '' ? '' : ` ${reason}`}${serverMessage === '' ? '' : `: ${serverMessage}`}`);
    this.name = 'ApiError';
    this.status = status;
    this.reason = reason;
    this.serverMessage = serverMessage;
    this.causes = body.details?.causes ?? [];
    this.what = body.details?.kind;
    this.retryAfterSeconds = retryAfterSeconds ?? body.details?.retryAfterSeconds;
  }

  /** No such object (or, for a kind that is not installed, no such resource). */
  public get isNotFound(): boolean {
    return this.status === 404;
  }

  /** The object changed since it was read, or a precondition on uid or resourceVersion failed. */
  public get isConflict(): boolean {
    return this.status === 409 && this.reason !== 'AlreadyExists';
  }

  /** The name is taken. */
  public get isAlreadyExists(): boolean {
    return this.reason === 'AlreadyExists';
  }

  /** The resource version or continue token is too old to go on from: list again. */
  public get isGone(): boolean {
    return this.status === 410 || this.reason === 'Expired' || this.reason === 'Gone';
  }

  /** The object breaks a rule of its schema or its validation; the same request will never succeed. */
  public get isInvalid(): boolean {
    return this.status === 422 || this.reason === 'Invalid';
  }

  /** The request itself is malformed; the same request will never succeed. */
  public get isBadRequest(): boolean {
    return this.status === 400;
  }

  /** The credentials were not accepted. */
  public get isUnauthorized(): boolean {
    return this.status === 401;
  }

  /** RBAC, an admission plugin or a quota refuses. */
  public get isForbidden(): boolean {
    return this.status === 403;
  }

  /** The server sheds load; the request was not executed. */
  public get isTooManyRequests(): boolean {
    return this.status === 429;
  }

  /** The namespace is being deleted, or is gone, so nothing can be created in it any more. */
  public get isNamespaceGone(): boolean {
    return (this.status === 403 && this.causes.some((cause) => cause.reason === 'NamespaceTerminating')) || (this.isNotFound && this.what === 'namespaces');
  }

  /**
   * The server has not reached the asked resource version, and waited for it in vain. Once a while that is a lagging cache; it is
   * for good when etcd was restored from a backup: list again.
   */
  public get isTooLargeResourceVersion(): boolean {
    return (
      this.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge') || this.serverMessage.includes('Too large resource version')
    );
  }

  /** Whether the same request can succeed later without anybody changing anything. */
  public get isRetriable(): boolean {
    return this.status === 429 || this.status === 408 || this.status >= 500;
  }
}

/** Code of a {@link TransportError} about an answer that was given up because of its length. */
export const ANSWER_TOO_LONG = 'EMSGSIZE';

/** No (whole) answer came: connection refused or broken, TLS failure, time-out. */
export class TransportError extends Error {
  /**
   * @param request what was asked, for the message.
   * @param code code of Node.js such as `ECONNREFUSED`, or `ETIMEDOUT` for our own deadline.
   * @param maybeExecuted false when the request certainly never reached the server, so that even a create can be sent again.
   */
  public constructor(
    request: string,
    public readonly code: string,
    public readonly maybeExecuted: boolean,
    options?: { cause?: unknown; detail?: string },
  ) {
    const detail = options?.detail ?? ((options?.cause as Error | undefined)?.message ?? '');
    super(`${request}: ${code}${detail === '' || detail === code ? '' : `: ${detail}`}`, { cause: options?.cause });
    this.name = 'TransportError';
  }

  /** Whether the answer was longer than the caller allows. */
  public get isTooLong(): boolean {
    return this.code === ANSWER_TOO_LONG;
  }
}

/** Whether `error` is an answer of the API server with this property: `isApiError(error, 'isNotFound')`. */
export function isApiError(error: unknown, property?: keyof ApiError): error is ApiError {
  return error instanceof ApiError && (property === undefined || Boolean(error[property]));
}
