import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { WebSocket } from 'ws';
import { KubeletServer } from '../../../src/local/dev/kubelet-server';
import {
  createAuthority, issueClientCertificate, issueServerCertificate, type KeyedCertificate,
} from '../../../src/operator/runtime/credentials/certificates';
import { temporaryFolder } from '../support/temporary-folder';

const folder = temporaryFolder();
const HOUR_MS = 3600 * 1000;
let authority: KeyedCertificate;
let server: KubeletServer;

beforeAll(async () => {
  authority = await createAuthority('test', Date.now(), HOUR_MS);
  const { certificate, key } = await issueServerCertificate(authority, ['127.0.0.1'], Date.now(), HOUR_MS);
  const file = path.join(folder, 'pod.log');
  fs.writeFileSync(file, 'one\ntwo\n');
  server = await KubeletServer.start({
    cert: certificate,
    key,
    clientCa: authority.certificate,
    hasPod: (namespace, pod) => `${namespace}/${pod}` === 'default/pod',
    exec: () => undefined,
    findLog: (namespace, pod, container) => ([namespace, pod, container].join('/') === 'default/pod/training' ? { file, hasEnded: () => true } : undefined),
  });
});
afterAll(() => server.close());

/** The answer to a client that shows a certificate, or the code of its error. */
async function ask(shown: KeyedCertificate | undefined, requestPath = '/containerLogs/default/pod/training'): Promise<string> {
  return new Promise((resolve) => {
    https.get({
      host: '127.0.0.1', port: server.port, path: requestPath, ca: authority.certificate, cert: shown?.certificate, key: shown?.key, agent: false,
    }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => { text += chunk; }).once('end', () => resolve(`${response.statusCode} ${text}`))
        .once('error', () => resolve('refused'));
    }).once('error', () => resolve('refused'));
  });
}

test('a log is read with a certificate of the authority, and with none of another one or without', async () => {
  const stranger = await createAuthority('test', Date.now(), HOUR_MS);
  expect(await ask(await issueClientCertificate(authority, 'api-server', Date.now(), HOUR_MS))).toBe('200 one\ntwo\n');
  expect(await ask(undefined)).toBe('refused');
  expect(await ask(await issueClientCertificate(stranger, 'api-server', Date.now(), HOUR_MS))).toBe('refused');
  // What servers of the authority show does not make them clients.
  expect(await ask(await issueServerCertificate(authority, ['127.0.0.1'], Date.now(), HOUR_MS))).toBe('refused');
});

test('a container that the pod does not have has no log', async () => {
  const client = await issueClientCertificate(authority, 'api-server', Date.now(), HOUR_MS);
  expect(await ask(client, '/containerLogs/default/pod/..%2F..%2Fother')).toMatch(/^404 no log of container /);
});

/** The status that a WebSocket ends with and its messages, or the HTTP status of an error response, or `refused` without a connection. */
async function connect(shown: KeyedCertificate | undefined, requestPath: string, protocol = 'v4.channel.k8s.io'): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    new WebSocket(`wss://127.0.0.1:${server.port}${requestPath}`, protocol, { ca: authority.certificate, cert: shown?.certificate, key: shown?.key })
      .on('message', (data: Buffer) => { text += data.toString(); }).once('close', (code: number) => resolve(`${code} ${text}`))
      .once('unexpected-response', (_request, { statusCode }) => resolve(String(statusCode))).once('error', () => resolve('refused'));
  });
}

test('commands and ports need a certificate of the authority as well', async () => {
  const client = await issueClientCertificate(authority, 'api-server', Date.now(), HOUR_MS);
  for (const requestPath of ['/exec/default/pod/training?command=id&output=1', '/portForward/default/pod?port=80']) {
    expect(await connect(undefined, requestPath)).toBe('refused');
    expect(await connect(await createAuthority('test', Date.now(), HOUR_MS), requestPath)).toBe('refused');
    expect(await connect(client, requestPath.replace('/pod', '/other'))).toBe('404');
    expect(await connect(client, requestPath, 'channel.k8s.io')).toBe('400');
  }
  expect(await connect(client, '/exec/default/pod/training?command=id&output=1')).toMatch(/^1000 .*container training of pod default\/pod does not run/s);
  expect(await connect(client, '/portForward/default/pod?port=0')).toBe('400');
  expect(await connect(client, '/portForward/default/pod?port=1')).toMatch(/^1000 .*nothing listens on 127\.0\.0\.1:1$/s);
  expect(await connect(client, '/attach/default/pod/training')).toBe('404');
  expect(await connect(client, '/exec/%ZZ')).toBe('400');
});
