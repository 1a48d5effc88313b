import fs from 'node:fs';
import { ApiAccess, apiRequest, ApiResponse } from '../../../src/local/control-plane';

/** The variable by which test/cluster/global-setup.ts tells tests the kubeconfig of their worker's control plane; workers count from 1. */
export function kubeconfigVariable(worker: number | string): string {
  return `TRAINYARD_TEST_KUBECONFIG_${worker}`;
}

/** Any Kubernetes object, as tests read it. */
export interface TestObject {
  apiVersion?: string;
  kind?: string;
  metadata: { name: string; namespace?: string; uid?: string; [field: string]: unknown };
  // Tests look deep into objects of many kinds, and check what they find.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  [field: string]: any;
}

/** The kubeconfig file of the shared control plane's admin, for clients that read one. @throws Error outside test/cluster */
export function clusterKubeconfig(): string {
  const variable = kubeconfigVariable(process.env.JEST_WORKER_ID ?? 1);
  const file = process.env[variable];
  if (!file) {
    throw new Error(`${variable} is not set: run this test in jest's project "cluster" (npm run test:cluster), whose set-up starts a control plane.`);
  }
  return file;
}

/** How to reach the shared control plane as its admin. */
export function clusterAccess(): ApiAccess {
  // Our own kubeconfig files are JSON.
  const config = JSON.parse(fs.readFileSync(clusterKubeconfig(), 'utf8'));
  const { cluster } = config.clusters[0];
  return {
    url: cluster.server,
    ca: Buffer.from(cluster['certificate-authority-data'], 'base64').toString('utf8'),
    token: config.users[0].user.token,
  };
}

/** A request whose failure is an error with the server's words. */
export async function mustRequest<T = TestObject>(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiResponse<T>> {
  const answer = await apiRequest<T>(clusterAccess(), method, path, { body, contentType });
  if (answer.status >= 300) {
    throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body.message ?? JSON.stringify(answer.body)}`);
  }
  return answer;
}

/**
 * Asks again and again until `look` returns something.
 *
 * @param what completes "waited for ..." in the error
 * @param timeoutMs a limit for a hanging test, not a measure of speed; default 60000
 */
export async function eventually<T>(what: string, look: () => Promise<T | undefined | false>, timeoutMs = 60_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await look();
    if (result !== undefined && result !== false) {
      return result;
    }
    if (Date.now() > deadline) {
      throw new Error(`waited ${timeoutMs / 1000} s for ${what}, in vain`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
