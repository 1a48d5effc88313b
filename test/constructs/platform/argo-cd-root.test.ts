/** What the root of Argo CD reaches, what it leaves behind, and how a private repository is read. */
import { App } from 'cdk8s';
import { folderApp, REPOSITORY, type AnyObject } from './support/platforms';
import { Framework, Gpu, RemoteSecret, SecretStoreRef, TrainingJob } from '../../../src';
import { Team } from '../../../src/constructs/platform';
import { ClusterQueue, Quota, ResourceFlavor } from '../../../src/constructs/queues';
import {
  ArgoCdLayout, Delivery, KubeflowPlatform, PlatformComponent, PlatformEnvironment, RepositoryCredentials, type ArgoCdDeliveryOptions,
  type FluxDeliveryOptions,
} from '../../../src/constructs/platform';
import { errorsOf } from '../../support/synth-errors';

jest.mock('../../../src/constructs/training-operator/operator-bundle', () => ({ readOperatorBundle: () => Buffer.from('a bundle') }));

const KEPT = 'Prune=false,Delete=false';

/** A platform with a team and its job, and more teams. */
function written(options: Partial<ArgoCdDeliveryOptions> = {}, teams: readonly string[] = ['vision']): AnyObject[] {
  const app = new App();
  const platform = new KubeflowPlatform(app, 'ml', {
    environment: PlatformEnvironment.OTHER, components: [PlatformComponent.trainingOperator()], charts: ['team', 'jobs'],
    delivery: Delivery.argoCd({ repository: REPOSITORY, ...options }),
  });
  const team = platform.chart('team');
  const flavor = new ResourceFlavor(team, 'Flavor', { name: 'h100' });
  new ClusterQueue(team, 'Queue', { name: 'gpus', namespaces: [...teams], resourceGroups: [{ flavors: [{ flavor, quotas: [Quota.gpu(Gpu.nvidia(8))] }] }] });
  teams.forEach((name) => new Team(team, name, { name, members: { groups: ['people'] } }));
  const metadata = { name: 'train', namespace: teams[0] };
  new TrainingJob(platform.chart('jobs'), 'Train', { metadata, framework: Framework.pytorch(), image: 'train:1', replicas: 1 });
  return app.charts.flatMap((chart) => (chart.toJson() as AnyObject[]).map((object) => ({ ...object, file: chart.node.id })));
}

const only = (objects: readonly AnyObject[], kind: string, name: string) => (
  objects.find((each) => each.kind === kind && each.metadata.name === name)!);
const included = ({ spec }: AnyObject) => spec.sources.map(({ directory }: AnyObject) => directory.include);
const wave = ({ metadata }: AnyObject) => Number(metadata.annotations!['argocd.argoproj.io/sync-wave']);
const namespaces = ({ spec }: AnyObject) => spec.destinations.map(({ namespace }: AnyObject) => namespace);

describe.each([ArgoCdLayout.APP_OF_APPS, ArgoCdLayout.APPLICATION_SET])('the root of an %s', (layout) => {
  const objects = written({ layout });
  const root = only(objects, 'Application', 'ml');

  test('syncs all that a person applies, itself too, and all that leads to components', () => {
    expect(included(root)).toEqual(['ml-platform.k8s.yaml', ...layout === ArgoCdLayout.APP_OF_APPS ? ['ml-applications.k8s.yaml'] : []]);
    expect(objects.filter(({ file }) => file === 'ml-platform').map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'AppProject ml', 'AppProject ml-charts', 'Application ml', ...layout === ArgoCdLayout.APP_OF_APPS ? [] : ['ApplicationSet ml'], 'ConfigMap argocd-cm',
    ]);
  });

  test('begins with projects and customizations, and ends with itself, which is not waited for', () => {
    expect(['ml', 'ml-charts'].map((name) => wave(only(objects, 'AppProject', name)))).toEqual([-10, -10]);
    expect(wave(only(objects, 'ConfigMap', 'argocd-cm'))).toBe(-10);
    expect(wave(root)).toBe(2);
  });

  test('leaves all of that behind when it is deleted', () => {
    for (const object of [root, only(objects, 'AppProject', 'ml'), only(objects, 'AppProject', 'ml-charts'), only(objects, 'ConfigMap', 'argocd-cm')]) {
      expect(object.metadata.annotations!['argocd.argoproj.io/sync-options'].split(',')).toEqual(expect.arrayContaining(KEPT.split(',')));
    }
  });

  test('is where Argo CD is, whichever cluster the platform is for', () => {
    const remote = written({ layout, server: 'https://10.0.0.1' });
    expect(only(remote, 'Application', 'ml').spec.destination).toEqual({ server: 'https://kubernetes.default.svc', namespace: 'argocd' });
    expect(only(remote, 'AppProject', 'ml').spec.destinations).toContainEqual({ server: 'https://kubernetes.default.svc', namespace: 'argocd' });
    expect(only(remote, 'AppProject', 'ml-charts').spec.destinations.map(({ server }: AnyObject) => server)).not.toContain('https://kubernetes.default.svc');
  });
});

test('a team more changes the projects that the root syncs', () => {
  const project = (teams: readonly string[]) => only(written({}, teams), 'AppProject', 'ml-charts');
  expect(namespaces(project(['vision']))).not.toContain('speech');
  expect(namespaces(project(['vision', 'speech']))).toContain('speech');
});

test('charts of the program are in a project of their own, with narrow rights', () => {
  const objects = written();
  expect(['ml-training-operator', 'ml-team', 'ml-jobs'].map((name) => only(objects, 'Application', name).spec.project)).toEqual(['ml', 'ml-charts', 'ml-charts']);
  const project = only(objects, 'AppProject', 'ml-charts');
  expect(project.spec.sourceRepos).toEqual([REPOSITORY]);
  expect(namespaces(project)).toEqual(expect.arrayContaining(['!kube-system', '!argocd', '!trainyard-system']));
  const kinds: string[] = project.spec.clusterResourceWhitelist.map(({ group, kind }: AnyObject) => `${group}/${kind}`);
  expect(kinds).toEqual(expect.arrayContaining(['/Namespace', 'kueue.x-k8s.io/*']));
  for (const kind of ['*/*', 'rbac.authorization.k8s.io/ClusterRole', 'rbac.authorization.k8s.io/ClusterRoleBinding', 'apiextensions.k8s.io/CustomResourceDefinition']) {
    expect(kinds).not.toContain(kind);
  }
});

test('an ApplicationSet puts each Application into its project by a field that its patch could not change', () => {
  const { spec } = only(written({ layout: ArgoCdLayout.APPLICATION_SET }), 'ApplicationSet', 'ml');
  expect(spec.template.spec.project).toBe('{{ .project }}');
  expect(spec.generators[0].list.elements.map(({ component, project }: AnyObject) => [component, project])).toEqual([
    ['training-operator', 'ml'], ['team', 'ml-charts'], ['jobs', 'ml-charts'],
  ]);
});

test('definitions and namespaces stay in the cluster when they leave the program', () => {
  const kept = written().filter(({ kind }) => kind === 'CustomResourceDefinition' || kind === 'Namespace');
  expect(kept.map(({ metadata }) => metadata.name).sort()).toEqual(['mltrainingjobs.ml.collabnix.io', 'trainyard-system', 'vision']);
  for (const { metadata } of kept) {
    expect(metadata.annotations).toEqual({ 'argocd.argoproj.io/sync-options': KEPT, 'kustomize.toolkit.fluxcd.io/prune': 'disabled' });
  }
});

test('an object of a kind that the cluster lacks does not stop its Application', () => {
  expect(only(written(), 'Application', 'ml-team').spec.syncPolicy.syncOptions).toContain('SkipDryRunOnMissingResource=true');
});

describe('a private repository', () => {
  const store = SecretStoreRef.cluster('vault');
  const ssh = 'git@github.com:example/platform.git';

  test('is read by the user that is given', () => {
    const objects = written({ credentials: RepositoryCredentials.externalSecret({ store, username: 'bot', password: RemoteSecret.named('git/token') }) });
    expect(only(objects, 'ExternalSecret', 'ml-repository')).toMatchObject({ spec: { target: { template: { data: { username: 'bot' } } } } });
  });

  test('is read by a Secret that External Secrets makes for Argo CD', () => {
    const objects = written({ credentials: RepositoryCredentials.externalSecret({ store, password: RemoteSecret.named('git/token') }) });
    expect(only(objects, 'ExternalSecret', 'ml-repository')).toMatchObject({
      metadata: { namespace: 'argocd', annotations: { 'argocd.argoproj.io/sync-wave': '-10', 'argocd.argoproj.io/sync-options': KEPT } },
      spec: {
        secretStoreRef: { kind: 'ClusterSecretStore', name: 'vault' },
        data: [{ secretKey: 'password', remoteRef: { key: 'git/token' } }],
        target: {
          name: 'ml-repository',
          template: {
            metadata: { labels: { 'argocd.argoproj.io/secret-type': 'repository' } },
            data: { type: 'git', url: REPOSITORY, username: 'git', password: '{{ .password }}' },
          },
        },
      },
      file: 'ml-platform',
    });
    const bySsh = written({ repository: ssh, credentials: RepositoryCredentials.externalSecret({ store, sshPrivateKey: RemoteSecret.named('key') }) });
    expect(only(bySsh, 'ExternalSecret', 'ml-repository').spec.target.template.data).toEqual({ type: 'git', url: ssh, sshPrivateKey: '{{ .sshPrivateKey }}' });
  });

  const byFlux = (options: Partial<FluxDeliveryOptions>) => {
    const app = folderApp();
    new KubeflowPlatform(app, 'ml', {
      environment: PlatformEnvironment.OTHER, components: [PlatformComponent.trainingOperator()],
      delivery: Delivery.flux({ repository: REPOSITORY, ...options }),
    });
    return app.charts.flatMap((chart) => chart.toJson() as AnyObject[]);
  };

  test('is read by a Secret that Flux is told of', () => {
    const [sshPrivateKey, knownHosts] = [RemoteSecret.named('key'), RemoteSecret.named('hosts')];
    const external = byFlux({ repository: ssh, credentials: RepositoryCredentials.externalSecret({ store, sshPrivateKey, knownHosts }) });
    expect(only(external, 'GitRepository', 'ml').spec.secretRef).toEqual({ name: 'ml-repository' });
    expect(only(external, 'ExternalSecret', 'ml-repository').spec.target.template).toEqual({ data: { identity: '{{ .identity }}', known_hosts: '{{ .known_hosts }}' } });
    expect(only(external, 'GitRepository', 'ml').spec.url).toBe('ssh://git@github.com/example/platform.git');
    const existing = byFlux({ credentials: RepositoryCredentials.existing('git') });
    expect(only(existing, 'GitRepository', 'ml').spec.secretRef).toEqual({ name: 'git' });
    expect(existing.filter(({ kind }) => kind === 'ExternalSecret')).toEqual([]);
    expect(only(byFlux({}), 'GitRepository', 'ml').spec.secretRef).toBeUndefined();
  });

  test.each<readonly [string, Delivery, RegExp]>([
    ['no password for HTTPS', Delivery.argoCd({ repository: REPOSITORY, credentials: RepositoryCredentials.externalSecret({ store }) }), /delivery\.credentials\.password: .*is required, because .* is read over HTTPS/],
    ['a password for SSH', Delivery.argoCd({
      repository: ssh, credentials: RepositoryCredentials.externalSecret({ store, sshPrivateKey: RemoteSecret.named('key'), password: RemoteSecret.named('token') }),
    }), /delivery\.credentials\.password: "token": is not used for git@github/],
    ['keys of hosts for Argo CD', Delivery.argoCd({
      repository: ssh, credentials: RepositoryCredentials.externalSecret({ store, sshPrivateKey: RemoteSecret.named('key'), knownHosts: RemoteSecret.named('hosts') }),
    }), /knownHosts: "hosts": is not read by Argo CD/],
  ])('is refused with %s', (_what, delivery, message) => {
    const app = new App();
    new KubeflowPlatform(app, 'ml', { environment: PlatformEnvironment.OTHER, components: [PlatformComponent.trainingOperator()], delivery });
    expect(errorsOf(app)).toEqual([expect.stringMatching(message)]);
  });
});
