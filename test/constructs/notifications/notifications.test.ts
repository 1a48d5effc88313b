/** What a `TrainyardNotifier` and a `NotificationRule` install, and what they refuse. */
import { Chart, Duration, Size, Testing } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import {
  NotificationEvent, NotificationReceiver, NotificationRule, TrainyardNotifier, type NotificationRuleProps, type TrainyardNotifierProps,
} from '../../../src/constructs/notifications';
import { Engine, Framework, TrainingJob } from '../../../src/constructs/training-job';
import { LogLevel } from '../../../src/constructs/training-operator/log-level';

// The shipped bundle changes with each line of the notifier.
jest.mock('../../../src/constructs/rendering/node-program', () => {
  const actual = jest.requireActual<typeof import('../../../src/constructs/rendering/node-program')>('../../../src/constructs/rendering/node-program');
  return {
    ...actual,
    readBundle: (construct: string, what: string, file: string) => (
      construct === 'TrainyardNotifier' ? Buffer.from('a bundle') : actual.readBundle(construct, what, file)),
  };
});

type Manifests = ReturnType<typeof Testing.synth>;

function synth(build: (chart: Chart) => void): Manifests {
  const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
  build(chart);
  return Testing.synth(chart);
}

const installed = (props: TrainyardNotifierProps = {}) => synth((chart) => new TrainyardNotifier(chart, 'Notifier', props));
const ofKind = (manifests: Manifests, kind: string) => manifests.filter((object) => object.kind === kind);

describe('the notifier', () => {
  test('these are the objects, beside the definition', () => {
    expect(installed().filter(({ kind }) => kind !== 'CustomResourceDefinition')).toMatchSnapshot();
  });

  test('it has no right to a Secret', () => {
    const roles = installed().filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role');
    expect(roles.length).toBeGreaterThan(2);
    expect(JSON.stringify(roles)).not.toMatch(/"secrets"|"\*"/);
  });

  test('every option is in the Deployment', () => {
    const all = installed({
      namespace: 'tools', createNamespace: true, allowedAddresses: ['10.8.0.0/16', '10.9.0.7/32'], clusterName: 'west', logLevel: LogLevel.DEBUG, image: 'registry.example/trainyard:1',
      resources: { cpu: Cpu.millis(50), memory: Size.mebibytes(128) }, nodeSelector: { pool: 'system' }, tolerations: [{ key: 'dedicated' }],
    });
    expect(ofKind(all, 'Namespace')[0].metadata.name).toBe('tools');
    const [{ spec: { replicas, strategy, template: { spec } } }] = ofKind(all, 'Deployment');
    expect([replicas, strategy.type]).toEqual([1, 'Recreate']);
    const [{ image, env, resources }] = spec.containers;
    expect(image).toBe('registry.example/trainyard:1');
    expect(env).toEqual(expect.arrayContaining([
      { name: 'ALLOWED_ADDRESSES', value: '10.8.0.0/16,10.9.0.7/32' }, { name: 'CLUSTER_NAME', value: 'west' }, { name: 'LOG_LEVEL', value: 'debug' },
    ]));
    expect(resources).toEqual({ requests: { cpu: '50m', memory: '128Mi' }, limits: { cpu: '50m', memory: '128Mi' } });
    expect([spec.nodeSelector, spec.tolerations]).toEqual([{ pool: 'system' }, [{ key: 'dedicated', operator: 'Exists' }]]);
    expect(installed({ nodeImage: 'registry.example/node:22' }).find(({ kind }) => kind === 'Deployment')!.spec.template.spec.containers[0].image).toBe('registry.example/node:22');
  });

  test.each<[TrainyardNotifierProps, RegExp]>([
    [{ image: 'a', nodeImage: 'b' }, /sets both 'image' \(a\).*Remove one/],
    [{ allowedAddresses: ['10.8.0.0'] }, /'10\.8\.0\.0' is not a range of receivers/],
    [{ allowedAddresses: ['0.0.0.0/0'] }, /would include the cloud's metadata/],
  ])('%j is refused', (props, expected) => {
    expect(() => installed(props)).toThrow(expected);
  });
});

const RECEIVERS = [
  NotificationReceiver.webhook('hook', { url: 'https://hooks.example.com/jobs', signingSecret: { name: 'hook', key: 'key' } }),
  NotificationReceiver.cloudEvents('events', { urlSecret: { name: 'broker', key: 'url' } }),
  NotificationReceiver.slack('slack', { name: 'slack', key: 'url' }),
  NotificationReceiver.email('mail', { smtpSecretName: 'smtp', from: 'trainyard@example.com', to: ['team@example.com'] }),
  NotificationReceiver.kubernetesEvent('kubernetes'),
];
const ruled = (props: Partial<NotificationRuleProps> = {}) => synth((chart) => new NotificationRule(chart, 'Rule', { events: [NotificationEvent.FAILED], receivers: RECEIVERS, ...props }));

describe('a rule', () => {
  test('with every option, and a Role for its Secrets alone', () => {
    expect(ruled({
      name: 'team', events: [NotificationEvent.FAILED, NotificationEvent.BUDGET], jobLabels: { team: 'a' }, onlyNamed: false, stallAfter: Duration.minutes(10),
      queueWait: Duration.minutes(30), deadlinePercent: 90, budgetReplicaHours: 100, interval: Duration.minutes(1),
      maxPerMinute: 10, retryFor: Duration.hours(2),
      message: '{job} {event}', notifierNamespace: 'tools',
    })).toMatchSnapshot();
  });

  test('without Secrets, or whose Secrets are granted in another way, it is alone', () => {
    expect(ruled({ grantSecrets: false })).toHaveLength(1);
    expect(ruled({ receivers: [NotificationReceiver.kubernetesEvent('kubernetes')] })).toHaveLength(1);
  });

  test('that is wrong fails synth, with all that is wrong', () => {
    expect(() => ruled({ name: 'team', events: [NotificationEvent.BUDGET], message: '{jobs}' }))
      .toThrow(/NotificationRule 'team': budgetReplicaHours: is required[^]*'team': message: "\{jobs\}": is not a placeholder.*Did you mean 'job'\?/);
    expect(() => NotificationReceiver.webhook('hook', {})).toThrow(/needs either 'url' or 'urlSecret', and has none/);
  });

  test('is named by jobs of our operator, of which one may name several', () => {
    const job = (chart: Chart, id: string, engine?: Engine) => new TrainingJob(chart, id, { framework: Framework.pytorch(), image: 'registry.example/train:1', replicas: 1, engine });
    const all = synth((chart) => {
      const named = job(chart, 'Named');
      for (const name of ['one', 'two']) {
        new NotificationRule(chart, name, { name, events: [NotificationEvent.FAILED], receivers: RECEIVERS, onlyNamed: true }).addJob(named);
      }
    });
    expect(ofKind(all, 'MLTrainingJob')[0].metadata.annotations).toEqual({ 'ml.collabnix.io/notify': 'one,two' });
    expect(() => synth((chart) => {
      new NotificationRule(chart, 'Rule', { events: [NotificationEvent.FAILED], receivers: RECEIVERS }).addJob(job(chart, 'Other', Engine.jobSet()));
    })).toThrow(/is rendered to jobsets by its engine, whose status the notifier does not read/);
  });
});
