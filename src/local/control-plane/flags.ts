/** The command lines of the control plane's programs. All of them listen on 127.0.0.1 only. */
import fs from 'node:fs';
import path from 'node:path';
import type { KeyPairFiles, TlsFiles } from './credentials';

/** @see https://etcd.io/docs/v3.6/op-guide/configuration/ */
export interface EtcdFlags {
  readonly dataFolder: string;
  readonly clientPort: number;
  readonly peerPort: number;
  /** Whether etcd does not wait for the disk. Data may be lost when the machine loses power, but not when the process is killed. */
  readonly unsafeNoFsync: boolean;
  readonly tls: TlsFiles;
  readonly extraArgs: readonly string[];
}

/**
 * Flags of etcd. It requires a certificate of this control plane, because everyone who can write to it can create pods, which are processes of the
 * user in `trainyard dev`. Its JSON gateway is off. An empty list of origins (`--cors=`) would allow all of them.
 */
export function etcdArgs(flags: EtcdFlags): string[] {
  const { caFile, server } = flags.tls;
  const client = `https://127.0.0.1:${flags.clientPort}`;
  const peer = `https://127.0.0.1:${flags.peerPort}`;
  return [
    '--name=trainyard',
    `--data-dir=${flags.dataFolder}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=trainyard=${peer}`,
    // A single member waits for the election time-out, a second by default.
    '--heartbeat-interval=20',
    '--election-timeout=200',
    // 4 GiB instead of 2: load tests with tens of thousands of pods write more before the first compaction.
    '--quota-backend-bytes=4294967296',
    '--log-level=warn',
    '--client-cert-auth',
    `--trusted-ca-file=${caFile}`,
    `--cert-file=${server.certFile}`,
    `--key-file=${server.keyFile}`,
    '--peer-client-cert-auth',
    `--peer-trusted-ca-file=${caFile}`,
    `--peer-cert-file=${server.certFile}`,
    `--peer-key-file=${server.keyFile}`,
    '--enable-grpc-gateway=false',
    '--host-whitelist=127.0.0.1',
    `--cors=${client}`,
    ...flags.unsafeNoFsync ? ['--unsafe-no-fsync'] : [],
    ...flags.extraArgs,
  ];
}

/** @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ */
export interface ApiServerFlags {
  readonly port: number;
  readonly etcdPort: number;
  /** Its certificate for etcd and kubelets, and the authority of their certificates. */
  readonly tls: { readonly caFile: string; readonly client: KeyPairFiles };
  /** Folder for its own certificate. */
  readonly certFolder: string;
  readonly tokenFile: string;
  readonly serviceAccountKeys: { readonly privateKey: string; readonly publicKey: string };
  readonly disabledAdmissionPlugins: readonly string[];
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly runtimeConfig: Readonly<Record<string, boolean>>;
  readonly audit?: { readonly policyFile: string; readonly logFile: string };
  readonly extraArgs: readonly string[];
}

/** Flags of kube-apiserver. */
export function apiServerArgs(flags: ApiServerFlags): string[] {
  const { caFile, client } = flags.tls;
  return [
    `--etcd-servers=https://127.0.0.1:${flags.etcdPort}`,
    `--etcd-cafile=${caFile}`,
    `--etcd-certfile=${client.certFile}`,
    `--etcd-keyfile=${client.keyFile}`,
    `--kubelet-certificate-authority=${caFile}`,
    `--kubelet-client-certificate=${client.certFile}`,
    `--kubelet-client-key=${client.keyFile}`,
    // The host name may resolve to an address on which nothing listens.
    '--kubelet-preferred-address-types=InternalIP',
    '--bind-address=127.0.0.1',
    // Its own certificate is for this address and localhost.
    '--advertise-address=127.0.0.1',
    `--secure-port=${flags.port}`,
    `--cert-dir=${flags.certFolder}`,
    // Endpoints of the `kubernetes` Service may not be loopback addresses: the reconciler would only log errors.
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=RBAC',
    `--token-auth-file=${flags.tokenFile}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${flags.serviceAccountKeys.privateKey}`,
    `--service-account-key-file=${flags.serviceAccountKeys.publicKey}`,
    '--allow-privileged=true',
    '--profiling=false',
    ...flags.disabledAdmissionPlugins.length > 0 ? [`--disable-admission-plugins=${flags.disabledAdmissionPlugins.join(',')}`] : [],
    ...mapFlag('feature-gates', flags.featureGates),
    ...mapFlag('runtime-config', flags.runtimeConfig),
    ...flags.audit ? [`--audit-policy-file=${flags.audit.policyFile}`, `--audit-log-path=${flags.audit.logFile}`, '--audit-log-mode=batch'] : [],
    ...flags.extraArgs,
  ];
}

/** @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/ */
export interface ControllerManagerFlags {
  readonly kubeconfig: string;
  readonly serviceAccountKey: string;
  /** The certificate authority in the service account files of pods. */
  readonly caFile: string;
  /** Names of controllers. `*` selects the default ones, and a `-` before a name excludes one. */
  readonly controllers: readonly string[];
  readonly featureGates: Readonly<Record<string, boolean>>;
}

/** Flags of kube-controller-manager. */
export function controllerManagerArgs(flags: ControllerManagerFlags): string[] {
  return [
    `--kubeconfig=${flags.kubeconfig}`,
    `--service-account-private-key-file=${flags.serviceAccountKey}`,
    `--root-ca-file=${flags.caFile}`,
    `--controllers=${flags.controllers.join(',')}`,
    // There is only one. An election would delay its start after a crash.
    '--leader-elect=false',
    // No server of its own.
    '--secure-port=0',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
    ...mapFlag('feature-gates', flags.featureGates),
  ];
}

/** Flags of kube-scheduler. */
export function schedulerArgs(flags: { readonly kubeconfig: string; readonly featureGates: Readonly<Record<string, boolean>> }): string[] {
  return [
    `--kubeconfig=${flags.kubeconfig}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
    ...mapFlag('feature-gates', flags.featureGates),
  ];
}

function mapFlag(name: string, values: Readonly<Record<string, boolean>>): string[] {
  const pairs = Object.entries(values).map(([key, value]) => `${key}=${value}`);
  return pairs.length > 0 ? [`--${name}=${pairs.join(',')}`] : [];
}

/**
 * Writes an audit policy that records user, verb and object of each request, without bodies.
 * @see https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/
 */
export function writeAuditPolicy(folder: string): string {
  const file = path.join(folder, 'audit-policy.json');
  const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] };
  fs.writeFileSync(file, JSON.stringify(policy));
  return file;
}
