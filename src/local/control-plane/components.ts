/** The programs of the embedded control plane: versions, releases, and how Go builds them. */

/** Release of Kubernetes that the control plane runs, as its git tag. */
export const KUBERNETES_VERSION = 'v1.36.3';
/** Release of etcd, as its git tag. */
export const ETCD_VERSION = 'v3.6.16';
/** Release of KWOK (Kubernetes WithOut Kubelet: fake nodes), as its git tag. */
export const KWOK_VERSION = 'v0.8.0';

/** A program of the control plane, or kubectl, which is for users. */
export type ComponentName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kwok' | 'kubectl';

/** All programs of the control plane, in the order of their start. */
export const COMPONENT_NAMES: readonly ComponentName[] = [
  'etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok',
];

/** A platform with Go's names: `linux`/`darwin` and `amd64`/`arm64`. */
export interface Platform {
  readonly os: string;
  readonly arch: string;
}

export function currentPlatform(): Platform {
  return { os: process.platform === 'win32' ? 'windows' : process.platform, arch: process.arch === 'x64' ? 'amd64' : process.arch };
}

/** Addresses of a release binary and its SHA-256. */
export interface ReleaseSource {
  /** The binary, or an archive with it. */
  readonly url: string;
  /** A document on the publisher's site that states the SHA-256 of the file at `url`. */
  readonly checksumUrl: string;
  /**
   * Form of that document: `sha256` is the hexadecimal sum, `sha256sums` has lines `SUM  FILE`, `github-release` is the release in GitHub's API, in
   * which each asset has a `digest`.
   */
  readonly checksumFormat: 'sha256' | 'sha256sums' | 'github-release';
  /** For a `.tar.gz`: the path of the binary inside it. */
  readonly archiveMember?: string;
}

/** How Go builds a program from the module proxy. */
export interface GoSource {
  readonly module: string;
  readonly version: string;
  /** The `main` package. */
  readonly package: string;
  /** Values for the linker's `-X`, so that the program reports its version as an official release does. */
  readonly linkerVariables: Readonly<Record<string, string>>;
  /**
   * The module requires siblings of its own repository at the placeholder version v0.0.0 and replaces them by folders. Go ignores replacements of
   * dependencies, so our module replaces those siblings by this published version.
   */
  readonly siblingVersion?: string;
}

/** One program of the control plane. */
export interface Component {
  readonly name: ComponentName;
  readonly version: string;
  /** @returns undefined when the publisher releases no binary for that platform */
  readonly release: (platform: Platform) => ReleaseSource | undefined;
  readonly go: GoSource;
}

function kubernetesComponent(name: ComponentName): Component {
  return {
    name,
    version: KUBERNETES_VERSION,
    release: ({ os, arch }) => {
      // Server binaries are published for Linux only.
      const url = `https://dl.k8s.io/${KUBERNETES_VERSION}/bin/${os}/${arch}/${name}`;
      return os === 'linux' || (name === 'kubectl' && os === 'darwin') ? { url, checksumUrl: `${url}.sha256`, checksumFormat: 'sha256' } : undefined;
    },
    go: {
      module: 'k8s.io/kubernetes',
      version: KUBERNETES_VERSION,
      package: `k8s.io/kubernetes/cmd/${name}`,
      linkerVariables: { 'k8s.io/component-base/version.gitVersion': KUBERNETES_VERSION },
      // Staging modules follow Kubernetes with major version 0: v1.36.3 there is v0.36.3 here.
      siblingVersion: KUBERNETES_VERSION.replace(/^v1\./, 'v0.'),
    },
  };
}

const ETCD: Component = {
  name: 'etcd',
  version: ETCD_VERSION,
  release: ({ os, arch }) => {
    // etcd publishes zip files, not tar.gz, for macOS.
    const folder = `etcd-${ETCD_VERSION}-${os}-${arch}`;
    const base = `https://github.com/etcd-io/etcd/releases/download/${ETCD_VERSION}`;
    return os === 'linux'
      ? { url: `${base}/${folder}.tar.gz`, checksumUrl: `${base}/SHA256SUMS`, checksumFormat: 'sha256sums', archiveMember: `${folder}/etcd` }
      : undefined;
  },
  go: { module: 'go.etcd.io/etcd/server/v3', version: ETCD_VERSION, package: 'go.etcd.io/etcd/server/v3', linkerVariables: {} },
};

const KWOK: Component = {
  name: 'kwok',
  version: KWOK_VERSION,
  release: ({ os, arch }) => ({
    url: `https://github.com/kubernetes-sigs/kwok/releases/download/${KWOK_VERSION}/kwok-${os}-${arch}`,
    // KWOK publishes no checksums, but GitHub has a digest of each asset.
    checksumUrl: `https://api.github.com/repos/kubernetes-sigs/kwok/releases/tags/${KWOK_VERSION}`,
    checksumFormat: 'github-release',
  }),
  go: {
    module: 'sigs.k8s.io/kwok',
    version: KWOK_VERSION,
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    linkerVariables: { 'sigs.k8s.io/kwok/pkg/consts.Version': KWOK_VERSION },
  },
};

const COMPONENTS: Readonly<Record<ComponentName, Component>> = {
  'etcd': ETCD,
  'kube-apiserver': kubernetesComponent('kube-apiserver'),
  'kube-controller-manager': kubernetesComponent('kube-controller-manager'),
  'kube-scheduler': kubernetesComponent('kube-scheduler'),
  'kwok': KWOK,
  'kubectl': kubernetesComponent('kubectl'),
};

export function component(name: ComponentName): Component {
  return COMPONENTS[name];
}
