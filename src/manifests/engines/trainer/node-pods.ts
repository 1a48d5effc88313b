/** Pods of a job whose environment a plugin completes: their templates, and what their containers see. */
import { mpiCommand, mpiEnvironment, mpiInitContainer, mpiVolumes } from './mpi';
import { NODE, type PluginPlan } from './plan';
import { pluginVariableNames, pluginVariables } from './plugins';
import { cohortEnvironments, templateEnvironments, templateReplicas, type Cohort } from '../cohorts';
import type { EngineEnvironment } from '../engine';
import { COMPLETION_INDEX } from '../job';
import { constructRoleTemplate, type RoleTemplate } from '../role-template';
import type { TemplateEnvironment } from '../template-environment';
import { GANG_RENDERERS } from '../../gang';
import type { NamedPort } from '../../pod/ports';
import { withRequestsOfLimits } from '../../pod/resources';
import { COORDINATOR_PORT_NAME } from '../../../model/frameworks/address-book';

/** What the templates say, by cohort: the model's contract without what the plugin sets. */
function nodeEnvironments(plan: PluginPlan): Map<Cohort, TemplateEnvironment> {
  const { layout, plugin, input, shape } = plan;
  const said = templateEnvironments(layout, (cohort) => pluginVariableNames(plugin, input, cohort));
  return shape !== 'launcher' ? said : new Map([...said].map(([cohort, { env, left }]) => [cohort, { env: mpiEnvironment(env, cohort), left }]));
}

/** What each replica sees: at last what Kubernetes itself adds to the pods of an Indexed Job. */
export function pluginEnvironments(plan: PluginPlan): EngineEnvironment[] {
  const { layout, plugin, input } = plan;
  return cohortEnvironments(layout, nodeEnvironments(plan), (cohort, position) => [
    ...pluginVariables(plugin, input, cohort, position), { name: COMPLETION_INDEX.name, value: String(position) },
  ]);
}

/** Templates of the pods, by cohort. @param namespace of the job */
export function nodeTemplates(plan: PluginPlan, namespace?: string): Map<Cohort, RoleTemplate> {
  const environments = nodeEnvironments(plan);
  return new Map(plan.layout.cohorts.map((cohort) => [cohort, nodeTemplate(plan, cohort, environments.get(cohort)!, namespace)]));
}

function nodeTemplate(plan: PluginPlan, cohort: Cohort, { env }: TemplateEnvironment, namespace: string | undefined): RoleTemplate {
  const { layout, shape, job } = plan;
  const isMpi = shape === 'launcher';
  const { metadata, spec } = constructRoleTemplate({
    replicas: templateReplicas(layout, cohort),
    namespace,
    role: isMpi ? { ...cohort.role, command: mpiCommand(cohort.role.command) } : cohort.role,
    container: NODE,
    env,
    ports: ports(plan, cohort),
    ...(isMpi && { volumes: mpiVolumes(plan, cohort), initContainers: (training) => [mpiInitContainer(cohort, training)] }),
  });
  const { gang } = job.spec.scheduling ?? {};
  // The group is the controller's part; it leaves the scheduler to the runtime.
  const schedulerName = spec.schedulerName ?? (gang && GANG_RENDERERS[gang.scheduler].schedulerName);
  // Plugins for gangs sum up what the templates request, before any API server has filled it in.
  return { metadata, spec: { ...withRequestsOfLimits(spec), ...(schedulerName !== undefined && { schedulerName }), restartPolicy: 'Never' } };
}

/** Plugins add the port that nodes meet on; the others listen where the model says. */
function ports({ job, plugin }: PluginPlan, { role }: Cohort): NamedPort[] {
  switch (plugin) {
    case undefined: return [{ name: COORDINATOR_PORT_NAME, port: job.port }];
    case 'mpi': return job.framework.ports(job).filter(({ roles }) => roles?.includes(role.name)).map(({ name, port }) => ({ name, port }));
    default: return [];
  }
}
