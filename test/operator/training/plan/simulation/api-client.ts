/**
 * The operator's way to the API server, with everything that can happen to a request: refused, lost, carried out although the answer never
 * came, carried out much later, and a process that dies before or after it. Between two requests the world goes on.
 */
import { Refusal } from './api-server';
import { count, type FaultCounts } from './fault-counts';
import { Random } from './random';

/** The operator's process has died; whatever it was doing is over. */
export class Crash extends Error {}

/** How likely each fault is, per request. */
export interface FaultRates {
  readonly crash: number;
  /** Refused for now: too many requests, internal errors that did nothing. */
  readonly refusal: number;
  /** The answer never comes, and nobody knows whether the request was carried out. */
  readonly lostAnswer: number;
  /** The request is stuck somewhere and carried out long after the client gave up. */
  readonly lateArrival: number;
  /** Something else happens just before or after. */
  readonly interleaving: number;
}

/** No faults: the peace after the chaos. */
export const NO_FAULTS: FaultRates = { crash: 0, refusal: 0, lostAnswer: 0, lateArrival: 0, interleaving: 0 };

/** A request that is stuck on its way. */
export type LateRequest = () => void;

/** See the top of this file. */
export class ApiClient {
  public rates: FaultRates = NO_FAULTS;
  public readonly late: LateRequest[] = [];
  /** What has gone wrong so far. */
  public readonly faults: FaultCounts = new Map();

  /**
   * @param meanwhile lets something else happen
   * @param trace takes note of a fault
   */
  public constructor(
    private readonly random: Random, private readonly meanwhile: () => void, private readonly trace: (line: () => string) => void,
  ) {}

  /** Sends a request that only reads. */
  public read<T>(description: string, request: () => T): T {
    this.before(description);
    if (this.random.chance(this.rates.refusal)) {
      this.refuse(description);
    }
    if (this.random.chance(this.rates.lostAnswer)) {
      this.trace(() => `${description}: no answer`);
      count(this.faults, 'time-out, not carried out');
      throw new Refusal('Timeout');
    }
    return request();
  }

  /**
   * Sends a request that changes something.
   * @param canBeLate whether the request may also be carried out long after it was given up; a write that is guarded by a resource version
   *   is left out of this, because the next write refuses it
   */
  public write<T>(description: string, request: () => T, canBeLate = false): T {
    this.before(description);
    if (this.random.chance(this.rates.refusal)) {
      this.refuse(description, request);
    }
    if (canBeLate && this.random.chance(this.rates.lateArrival)) {
      this.trace(() => `${description}: stuck on its way`);
      count(this.faults, 'time-out, carried out later');
      this.late.push(request);
      throw new Refusal('Timeout', true);
    }
    if (this.random.chance(this.rates.lostAnswer)) {
      this.loseAnswer(description, request);
    }
    const answer = this.carryOut(request);
    this.trace(() => description);
    if (this.random.chance(this.rates.crash)) {
      this.trace(() => 'the operator dies right after it');
      count(this.faults, 'crash');
      throw new Crash();
    }
    if (this.random.chance(this.rates.interleaving)) {
      this.meanwhile();
    }
    return answer;
  }

  /** A request that was stuck arrives after all. */
  public arriveLate(): void {
    const [request] = this.late.splice(this.random.between(0, this.late.length - 1), 1);
    if (request) {
      this.doUnheard(request);
    }
  }

  /** The server says no, for whatever reason. */
  private refuse(description: string, request?: () => unknown): never {
    const reason = this.random.pick(request ? ['TooManyRequests', 'InternalError', 'Forbidden'] as const : ['TooManyRequests', 'InternalError'] as const);
    if (reason === 'InternalError') {
      // A server in trouble may have done what it was asked for before it came to grief.
      const isDone = request !== undefined && this.random.chance(0.5);
      if (isDone) {
        this.doUnheard(request);
      }
      this.trace(() => `${description}: ${reason}, ${isDone ? 'carried out' : 'not carried out'}`);
      count(this.faults, isDone ? '500 carried out' : '500 not carried out');
      throw new Refusal(reason, request !== undefined);
    }
    this.trace(() => `${description}: ${reason}`);
    count(this.faults, reason === 'Forbidden' ? '403 Forbidden' : '429 TooManyRequests');
    throw new Refusal(reason, false, reason === 'TooManyRequests' ? this.random.between(1, 10) * 1_000 : 0);
  }

  /** Carries a request out. Conflicts are in the nature of things, and counted all the same. */
  private carryOut<T>(request: () => T): T {
    try {
      return request();
    } catch (error) {
      if (error instanceof Refusal && (error.reason === 'Conflict' || error.reason === 'AlreadyExists')) {
        count(this.faults, `409 ${error.reason}`);
      }
      throw error;
    }
  }

  private doUnheard(request: () => unknown): void {
    try {
      request();
    } catch (error) {
      if (!(error instanceof Refusal)) {
        throw error;
      }
    }
  }

  private loseAnswer(description: string, request: () => unknown): never {
    const isDone = this.random.chance(0.7);
    if (isDone) {
      this.doUnheard(request);
    }
    count(this.faults, isDone ? 'time-out, carried out' : 'time-out, not carried out');
    this.trace(() => `${description}: no answer, ${isDone ? 'carried out' : 'lost'}`);
    throw new Refusal('Timeout', true);
  }

  private before(description: string): void {
    if (this.random.chance(this.rates.interleaving)) {
      this.meanwhile();
    }
    if (this.random.chance(this.rates.crash)) {
      this.trace(() => `the operator dies before: ${description}`);
      count(this.faults, 'crash');
      throw new Crash();
    }
  }
}
