/**
 * From a commit to a finished job: examples/gitops is synthesized into a Git repository, and brought from there into a real control plane, where
 * our operator runs its job. First by plain applies in the order of the waves, then by Argo CD's own controller, with the same tests. Kueue, the
 * nodes and the end of training are played.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { changesBetween, ProgramUnderTest, snapshotOf, type Snapshot } from './support/program';
import { Stage } from './support/stage';
import { ControlPlane, apiRequest } from '../../../src/local/control-plane';
import { constructCustomizations } from '../../../src/manifests/argo-cd/customizations';
import { STATES } from '../../manifests/argo-cd/support/states';
import { upstreamCrds } from '../../support/upstream-definitions';
import { ArgoCd, findArgoCdPrograms, healthByArgoCd } from '../support/argo-cd/argo-cd';
import { eventually, type TestObject } from '../support/cluster';
import { readYaml, installDefinition } from '../support/crds';
import { GitRepository } from '../support/git-repository';
import { PlainSync } from '../support/plain-sync';
import { TestApi } from '../support/test-api';
import { describeUnless, testUnless } from '../../support/where-possible';

/** Folder of the repository that the program's output is committed to. */
const OUTPUT = 'manifests';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-gitops-'));
let plane: ControlPlane;
let api: TestApi;

beforeAll(async () => {
  plane = await ControlPlane.start({
    controllerManager: true, scheduler: true, fakeNodes: { count: 6, labels: { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' } },
  });
  api = new TestApi(plane.access());
  await Promise.all(upstreamCrds('kueue').flatMap(readYaml).map(async (crd) => installDefinition(api.access, crd)));
});
afterAll(async () => {
  await plane?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** What stays in the cluster when it leaves the program: it holds the work of others. */
const KEPT = ['CustomResourceDefinition mltrainingjobs.ml.collabnix.io', 'Namespace trainyard-system', 'Namespace vision'];

/** What brings commits into the cluster. */
interface Syncer {
  /** Brings the last commit into the cluster; returns when it is there. */
  sync(): Promise<void>;
  stop(): Promise<void>;
}

/** The tests of a delivery. @param missing why there is none, where there is none */
function describeDelivery(
  title: string, missing: string | undefined, start: (repository: GitRepository, program: ProgramUnderTest) => Promise<Syncer>,
  more: (given: () => { readonly stage: Stage; readonly program: ProgramUnderTest; readonly repository: GitRepository }) => void,
): void {
  describeUnless(missing, title)(title, () => {
    let syncer: Syncer;
    let program: ProgramUnderTest;
    let repository: GitRepository;
    let stage: Stage;

    beforeAll(async () => {
      const place = fs.mkdtempSync(path.join(folder, 'delivery-'));
      repository = new GitRepository(path.join(place, 'repository'));
      program = new ProgramUnderTest(place, repository.url);
      syncer = await start(repository, program);
      stage = new Stage(api);
    });
    afterAll(async () => {
      await syncer?.stop();
      await stage?.stop();
    });

    const commit = (message: string) => repository.commit(OUTPUT, program.synthesize(), message);
    const snapshot = async (): Promise<Snapshot> => snapshotOf(api.access, program.objects());

    test('a commit becomes an operator, a team and its jobs, in the order of the waves, and a job runs to its end', async () => {
      commit('The platform, a team and its jobs');
      await Promise.all([syncer.sync(), stage.playOperator(), stage.playQueues()]);
      await stage.jobs.untilCondition('resnet-2', 'Suspended');
      const done = await stage.runToEnd('resnet-1');
      expect(done.status).toMatchObject({ phase: 'Completed', restarts: 0 });
      expect([...(await snapshot()).values()].filter((object) => object === undefined)).toEqual([]);
    });

    test('a line that changes, changes the object that it is about, and no other', async () => {
      const before = await snapshot();
      program.change('pods: 50', 'pods: 60');
      commit('More pods for vision');
      expect(repository.changed()).toEqual([`${OUTPUT}/gitops-team.k8s.yaml`]);
      await syncer.sync();
      const after = await snapshot();
      expect(changesBetween(before, after)).toEqual(['changed: ResourceQuota vision/team']);
      expect(after.get('ResourceQuota vision/team')!.spec.hard).toMatchObject({ pods: '60' });
    });

    test('what somebody changes in the cluster is put back, and a job that somebody resumes goes on', async () => {
      const before = await snapshot();
      await stage.jobs.change('resnet-2', { suspend: false });
      await api.patch('resourcequotas', 'vision', 'team', { spec: { hard: { pods: '1000' } } });
      await syncer.sync();
      const quota = await eventually('the quota of the program', async () => {
        const live = await api.get('resourcequotas', 'vision', 'team');
        return live.spec.hard.pods === '60' && live;
      });
      expect(quota.spec).toEqual(before.get('ResourceQuota vision/team')!.spec);
      const running = await stage.jobs.untilCondition('resnet-2', 'Running');
      expect(running.spec.suspend).toBe(false);
    });

    test('what leaves the program leaves the cluster, and what stays is not touched', async () => {
      const before = await snapshot();
      const pods = async (job: string) => (await api.list('pods', 'vision', `job=${job}`)).map(({ metadata }) => metadata.uid);
      const running = await pods('resnet-2');
      program.remove(/^new WorkloadPriorityClass\(.*\n/m);
      program.remove(/^train\('resnet-1'.*\n/m);
      commit('The first run is done with, and nobody uses the class');
      await syncer.sync();
      const gone = ['MLTrainingJob vision/resnet-1', 'WorkloadPriorityClass deadline'];
      await eventually('what left the program to be gone', async () => {
        const live = await snapshotOf(api.access, [...before.values()] as TestObject[]);
        return gone.every((name) => live.get(name) === undefined);
      });
      const after = await snapshotOf(api.access, [...before.values()] as TestObject[]);
      expect(changesBetween(before, after)).toEqual(gone.map((name) => `gone: ${name}`));
      await eventually('the pods of the job to be gone with it', async () => (await pods('resnet-1')).length === 0);
      // Applied again beside what left, it still is what somebody made of it.
      expect((await stage.jobs.get('resnet-2')).spec.suspend).toBe(false);
      expect(running).toHaveLength(2);
      expect(await pods('resnet-2')).toEqual(running);
    });

    more(() => ({ stage, program, repository }));
  });
}

describeDelivery('applied in the order of the waves', undefined, async (repository) => {
  const sync = new PlainSync(api);
  return {
    sync: async () => {
      const { waves } = await sync.sync(repository.files(OUTPUT), 'gitops-applications.k8s.yaml');
      expect(waves.map((wave) => wave.length > 0)).toEqual([true, true, true]);
    },
    stop: async () => {},
  };
}, (given) => {
  test('a program that has come to its end takes everything with it, the last first, but for what holds the work of others', async () => {
    const { stage, program, repository } = given();
    const before = program.objects();
    await stage.stop();
    repository.commit(OUTPUT, new Map(), 'The end');
    const { pruned } = await new PlainSync(api).sync(repository.files(OUTPUT), 'gitops-applications.k8s.yaml');
    const at = (name: string) => pruned.indexOf(name);
    expect(pruned).toHaveLength(before.length - KEPT.length);
    expect(at('MLTrainingJob vision/resnet-2')).toBeLessThan(at('ResourceQuota vision/team'));
    expect(at('ResourceQuota vision/team')).toBeLessThan(at('Deployment trainyard-system/trainyard-operator'));
    await eventually('everything else to be gone', async () => {
      const live = await snapshotOf(api.access, before);
      return [...live].filter(([, object]) => object !== undefined).map(([name]) => name).sort().join() === KEPT.join();
    });
    // The next delivery begins with an empty cluster.
    await new PlainSync(api).remove(KEPT, before);
  });
});

const { programs, missing: noArgoCd } = findArgoCdPrograms();

/** The Argo CD that the last tests look into. */
let argoCd: ArgoCd;

describeDelivery('synced by Argo CD', noArgoCd, async (repository, program) => {
  argoCd = await ArgoCd.start(programs!, plane, api, fs.mkdtempSync(path.join(folder, 'argo-cd-')));
  let installed = false;
  return {
    sync: async () => {
      if (!installed) {
        // All that a person ever applies.
        await program.applyRoot(api);
        installed = true;
      } else {
        await argoCd.refresh();
      }
      const head = repository.head();
      await argoCd.until(`Applications to be synced to ${head}`, (applications) => ['gitops', 'gitops-training-operator', 'gitops-team', 'gitops-jobs'].every((name) => {
        const { sync, operationState } = applications.get(name)?.status ?? {};
        return sync?.status === 'Synced' && (sync.revision ?? sync.revisions?.[0]) === head && operationState?.phase === 'Succeeded';
      }));
    },
    stop: async () => argoCd.stop(),
  };
}, (given) => {
  const healthOfJobs = ({ status }: TestObject) => [status.health.status, ...(status.resources as TestObject[])
    .filter(({ kind }) => kind === 'MLTrainingJob').map(({ name, health }) => `${name}: ${health?.status}`)];

  test('the health of jobs is what our script says, until they have ended', async () => {
    await argoCd.until('the job to be Progressing', (applications) => healthOfJobs(applications.get('gitops-jobs')!).join() === 'Progressing,resnet-2: Progressing');
    await given().stage.end('resnet-2');
    await argoCd.until('the job to be Healthy', (applications) => healthOfJobs(applications.get('gitops-jobs')!).join() === 'Healthy,resnet-2: Healthy');
    await argoCd.until('everything to be Healthy', (applications) => applications.get('gitops')!.status.health.status === 'Healthy');
  });

  test('an Application is made when what comes before it has been synced and is Healthy', async () => {
    const [operator, team, jobs] = await Promise.all(['training-operator', 'team', 'jobs'].map(async (name) => argoCd.application(`gitops-${name}`)));
    const made = ({ metadata }: TestObject) => Date.parse(metadata.creationTimestamp as string);
    const firstSync = ({ status }: TestObject) => Date.parse(status.history[0].deployedAt);
    expect(made(team)).toBeGreaterThanOrEqual(firstSync(operator));
    expect(made(jobs)).toBeGreaterThanOrEqual(firstSync(team));
  });

  test('a new team is a commit: what the root syncs permits its namespace, and nobody applies anything', async () => {
    const { program, repository } = given();
    program.change("const jobs = platform.chart('jobs');", "new Team(team, 'Speech', { name: 'speech', members: { groups: ['speech@example.com'] } });\nconst jobs = platform.chart('jobs');");
    repository.commit(OUTPUT, program.synthesize(), 'A team for speech');
    expect(repository.changed()).toEqual([`${OUTPUT}/gitops-platform.k8s.yaml`, `${OUTPUT}/gitops-team.k8s.yaml`]);
    await argoCd.refresh();
    const head = repository.head();
    await argoCd.until('the team to be synced', (applications) => {
      const { sync, operationState } = applications.get('gitops-team')!.status;
      return sync.status === 'Synced' && (sync.revision ?? sync.revisions?.[0]) === head && operationState.phase === 'Succeeded';
    });
    const project = await api.send('GET', '/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects/gitops-charts');
    expect(project.spec.destinations.map(({ namespace }: { readonly namespace: string }) => namespace)).toEqual(expect.arrayContaining(['speech', 'vision', '!argocd', '!kube-system']));
    expect((await api.get('rolebindings', 'speech', 'team-members')).metadata.name).toBe('team-members');
    await argoCd.until('the root to be synced, itself too', (applications) => {
      const { resources, sync } = applications.get('gitops')!.status;
      return sync.status === 'Synced' && resources.some(({ kind, name }: TestObject) => kind === 'Application' && name === 'gitops');
    });
  });

  test('an Application of the operator that is deleted takes the operator with it, and leaves the definition of its jobs, the jobs and the namespace', async () => {
    const { stage } = given();
    const application = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/gitops-training-operator';
    const deployment = '/apis/apps/v1/namespaces/trainyard-system/deployments/trainyard-operator';
    const uid = (object: TestObject) => object.metadata.uid;
    const kept = async () => Promise.all([
      api.get('customresourcedefinitions', undefined, 'mltrainingjobs.ml.collabnix.io'), api.get('namespaces', undefined, 'trainyard-system'), stage.jobs.get('resnet-2'),
    ]).then((objects) => objects.map(uid));
    const [before, first] = [await kept(), uid(await api.send('GET', deployment))];
    // A kubelet would end the operator with its Deployment; without its rights it would lose the lease, and say so.
    await stage.stop();
    await api.send('DELETE', application);
    // The root puts the Application back, and with it the operator.
    await eventually('another operator', async () => {
      // The Application is not there for a while.
      await argoCd.refresh().catch(() => undefined);
      const { status, body } = await apiRequest<TestObject>(api.access, 'GET', deployment);
      return status === 200 && uid(body) !== first;
    }, 120_000);
    expect(await kept()).toEqual(before);
  });
});

/** States of our own kind: each asks for a start of Argo CD's command. */
const ASKED = STATES['ml.collabnix.io/MLTrainingJob'];

testUnless(noArgoCd, 'health in Argo CD\'s own command')('Argo CD\'s own command gives jobs the health that our Lua tests expect', async () => {
  const answers = await healthByArgoCd(programs!.argoCd, fs.mkdtempSync(path.join(folder, 'health-')), constructCustomizations(), ASKED.map(({ object }) => object));
  expect(answers.map((answer, index) => `${ASKED[index].name}: ${/^STATUS: (.*)$/m.exec(answer)?.[1] ?? answer}`))
    .toEqual(ASKED.map(({ name, health }) => `${name}: ${health}`));
});
