/** The dashboard in a cluster: the pages of `trainyard ui` for many users, each with the permissions that the user has in the cluster. */
import { HeaderAccess } from './header-access';
import type { DashboardSettings } from './settings';
import { TokenAccess } from './token-access';
import { Users } from './users';
import { clusterSource } from '../cluster-source';
import { RecorderClient } from '../history/recorder-client';
import { RowBudget } from '../live-rows';
import type { Pages } from '../server/answers';
import { UiServer, type UiAccess } from '../server/server';
import type { ClusterConnection } from '../../../operator/runtime/credentials/kubeconfig';
import type { Logger } from '../../../operator/runtime/process/logger';

/** Limits of live views. A stream ends after ten minutes, and its page authenticates again. */
const STREAMS = { lookMs: 5_000, maxMs: 10 * 60_000, perUser: 12, total: 500 };

export interface DashboardOptions {
  readonly settings: DashboardSettings;
  /** Connection to the cluster. Its credentials are used only to impersonate users. */
  readonly connection: ClusterConnection;
  readonly pages: Pages;
  readonly version: string;
  readonly logger: Logger;
  /** Address to listen on. @default - all addresses */
  readonly host?: string;
}

export class Dashboard {
  private constructor(private readonly server: UiServer, private readonly users: Users) {}

  /** @throws CliError if the port is in use */
  public static async start({ settings, connection, pages, version, logger, host = '' }: DashboardOptions): Promise<Dashboard> {
    const { hosts, basePath, frameAncestors, auth, allowChanges, namespace, cluster = connection.server.href, prices } = settings;
    const recorder = settings.recorder === undefined ? undefined : new RecorderClient(settings.recorder);
    const rowBudget = new RowBudget();
    const users = new Users(connection, (client, user) => clusterSource(client, {
      namespace, canChange: allowChanges, howToChange: 'TrainyardDashboard was installed without allowChanges.', version, cluster, origin: 'the cluster of this dashboard',
      user, canSignOut: auth.kind === 'token', frameAncestors,
    }, { recorder, rowBudget, prices }));
    const access: UiAccess = auth.kind === 'token'
      ? new TokenAccess(users, { hosts, basePath, seals: auth.seals, sessionSeconds: auth.sessionSeconds })
      : new HeaderAccess(users, connection.credentials, { hosts, ...auth });
    const server = await UiServer.start({
      access, pages, port: settings.port, host, basePath, frameAncestors, streams: STREAMS, answersHealth: true,
      onAction: (user, action, error) => (error === undefined
        ? logger.info('a user changed a job', { user, ...action })
        : logger.info('a change by a user was refused', { user, ...action, reason: error instanceof Error ? error.message : String(error) })),
    });
    return new Dashboard(server, users);
  }

  /** Its address on this machine. */
  public get origin(): string {
    return this.server.origin;
  }

  /** Closes all connections; the pages connect to another replica. */
  public close(): void {
    this.server.close();
    this.users.close();
  }
}
