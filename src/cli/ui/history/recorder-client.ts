/** The dashboard's client of the recorder, with a token that only the recorder accepts. */
import { readFile } from 'node:fs/promises';
import type { HistoryList, HistoryQuery, HistoryRun } from './history';
import { Refusal } from '../server/answers';

/** Timeout of a request; milliseconds. */
const TIMEOUT_MS = 15_000;

export class RecorderClient {
  /** @param options with the file of the token for the recorder, which the kubelet replaces */
  public constructor(private readonly options: { readonly origin: string; readonly tokenFile: string }) {}

  public async list(query: HistoryQuery): Promise<HistoryList> {
    return this.get('/runs', query);
  }

  /** @throws Refusal if it does not exist */
  public async run(namespace: string, uid: string): Promise<HistoryRun> {
    return this.get('/run', { namespace, uid });
  }

  private async get<T>(place: string, parameters: object): Promise<T> {
    const token = (await readFile(this.options.tokenFile, 'utf8')).trim();
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])));
    let response;
    try {
      response = await fetch(`${this.options.origin}${place}?${query.toString()}`, { headers: { authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch {
      throw new Refusal(503, 'The recorder of the history does not answer.');
    }
    const body = await response.json() as T & { readonly message?: string };
    if (!response.ok) {
      // The recorder rejects the dashboard, not the user.
      throw new Refusal(response.status === 404 ? 404 : 502, body.message ?? 'The recorder of the history cannot answer.');
    }
    return body;
  }
}
