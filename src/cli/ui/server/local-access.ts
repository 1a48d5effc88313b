/** Access to the pages of `trainyard ui` with the secret in the printed address, which is then in a cookie. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type http from 'node:http';
import { Refusal, cookieIn } from './answers';
import type { UiAccess, UiSource, UiUser } from './server';

const COOKIE = 'trainyard';

export class LocalAccess implements UiAccess {
  public readonly protectsPages = true;

  private readonly secret = randomBytes(24).toString('base64url');

  public constructor(private readonly source: UiSource) {}

  /** The address to open, with the secret. @param origin of the server */
  public address(origin: string): string {
    return `${origin}/?secret=${this.secret}`;
  }

  /** Another name in `Host` belongs to a site that has bound its name to this address. */
  public checkSender({ headers: { host, origin }, socket }: http.IncomingMessage): void {
    const own = `http://127.0.0.1:${socket.localPort}`;
    if (`http://${host}` !== own) {
      throw new Refusal(403, `This server can be used only as ${own}.`);
    }
    if (origin !== undefined && origin !== own) {
      throw new Refusal(403, 'Requests of other sites are refused.');
    }
  }

  /** Serves the printed address, and redirects to one without the secret. */
  public async handle(_request: http.IncomingMessage, url: URL, response: http.ServerResponse): Promise<boolean> {
    if (!url.searchParams.has('secret')) {
      return false;
    }
    this.checkSecret(url.searchParams.get('secret') ?? '');
    response.writeHead(303, { 'location': '/', 'set-cookie': `${COOKIE}=${this.secret}; HttpOnly; SameSite=Strict; Path=/` }).end();
    return true;
  }

  /** @throws Refusal */
  public async user({ headers }: http.IncomingMessage): Promise<UiUser> {
    this.checkSecret(cookieIn(headers.cookie, COOKIE));
    return { name: '', source: this.source };
  }

  private checkSecret(shown: string): void {
    const [one, other] = [Buffer.from(shown), Buffer.from(this.secret)];
    if (one.length !== other.length || !timingSafeEqual(one, other)) {
      throw new Refusal(401, 'Open the address that trainyard ui has printed.');
    }
  }
}
