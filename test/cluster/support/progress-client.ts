import fs from 'node:fs';
import type http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { SignJWT, decodeJwt, decodeProtectedHeader } from 'jose';
import { createPrivateKey } from 'node:crypto';
import { clusterKubeconfig, eventually, type TestObject } from './cluster';
import type { TestApi } from './test-api';
import { JOB_LABEL } from '../../../src/model/labels';
import { progressAudience, progressPath, type JobRef } from '../../../src/model/progress/contract';

/** What the endpoint answered. */
export interface ProgressAnswer {
  readonly status: number;
  readonly contentType?: string;
  // Tests look into answers of many shapes.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** Speaks to a progress endpoint as a training script does, from outside. */
export class ProgressClient {
  /** @param connection further options of its requests, such as an agent that keeps connections */
  public constructor(
    private readonly api: TestApi, private readonly port: number, private readonly authorities: string,
    private readonly connection: https.RequestOptions = {},
  ) {}

  /**
   * A token as the kubelet gives one to the pods of a job: for the default account of the namespace, bound to the pod. The API server made it, but
   * for the pod, which it binds only to accounts that pods name, and pods here name none.
   * @param pod default: the first one of the job, which is waited for; `none` for a token that no kubelet would ask for
   */
  public async token(job: JobRef, { audience = progressAudience(job), pod }: { readonly audience?: string; readonly pod?: TestObject | 'none' } = {}): Promise<string> {
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [audience], expirationSeconds: 3600 } };
    const { token } = (await this.api.create('serviceaccounts', job.namespace, request, 'default', 'token')).status as { token: string };
    if (pod === 'none') {
      return token;
    }
    const { name, uid } = (pod ?? await this.podOf(job)).metadata;
    return resigned(token, { 'kubernetes.io': { ...decodeJwt(token)['kubernetes.io'] as object, pod: { name, uid } } });
  }

  /** A pod of a job. */
  public async podOf({ namespace, name }: JobRef): Promise<TestObject> {
    return eventually(`a pod of job ${name}`, async () => (await this.api.list('pods', namespace, `${JOB_LABEL}=${name}`))[0]);
  }

  /** Sends a report. */
  public async report(job: JobRef, token: string | undefined, body: unknown): Promise<ProgressAnswer> {
    return this.send('POST', progressPath(job), token, typeof body === 'string' ? body : JSON.stringify(body));
  }

  /** Any request. TLS is checked against the authorities that pods get. */
  public async send(method: string, url: string, token?: string, body = '', headers: http.OutgoingHttpHeaders = {}): Promise<ProgressAnswer> {
    return new Promise((resolve, reject) => {
      const request = https.request({
        host: '127.0.0.1', port: this.port, path: url, method, ca: this.authorities, agent: false, ...this.connection,
        headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
      }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({
          status: response.statusCode!, contentType: response.headers['content-type'], body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
        }));
      });
      request.on('error', reject);
      request.end(body);
    });
  }
}

/** The same token with other claims, signed by the control plane's own key: nothing but the claims is wrong with it. */
export async function resigned(token: string, change: { readonly [claim: string]: unknown }): Promise<string> {
  const key = createPrivateKey(fs.readFileSync(path.join(path.dirname(clusterKubeconfig()), 'service-account.key'), 'utf8'));
  const { alg, kid } = decodeProtectedHeader(token);
  return new SignJWT({ ...decodeJwt(token), ...change }).setProtectedHeader({ alg: alg!, kid }).sign(key);
}
