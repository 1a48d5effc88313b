import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { App, Chart, Yaml } from 'cdk8s';
import { Construct } from 'constructs';
import { addArgoCd, addFlux, toYaml } from './deliver';
import { outputProblems } from './output-files';
import type { KubeflowPlatformProps } from './platform-props';
import { addProgramObjects, checkCharts, contentOf } from './program-charts';
import { checkDelivery, platformTokens, toPlatformSpec } from './to-spec';
import { ProgramChecks } from '../checks/program-checks';
import { ArgoCdJobs } from '../gitops/argo-cd/argo-cd-jobs';
import { recordGpuExporter } from '../monitoring/systems';
import { hasObjects } from '../../manifests/platform/delivery';
import { renderKustomizationTree } from '../../manifests/platform/kustomization';
import { planPlatform, type PlannedComponent, type PlatformPlan } from '../../manifests/platform/plan';
import { addProgramCharts } from '../../manifests/platform/program-charts';
import { resolveComponents, type Resolution } from '../../model/catalogue/resolve';
import { CHECK_RULES } from '../../model/checks/rule-list';
import { exporterOfPlatform } from '../../model/monitoring/gpu/exporters';
import { validatePlatform } from '../../model/platform/validation';
import { formatViolation } from '../../model/violations';
import { checkProps } from '../props/check-props';

/** Short enough for a label of Argo CD with this name and that of a component. */
const NAME = /^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/;

/**
 * A machine-learning platform of selected components, in versions that are compatible with each other, in a valid order of installation.
 *
 * Its objects are in charts of the app: apply `NAME-platform` once; it delivers the others.
 * @see docs/platform/README.md
 * @example
 * import { App } from 'cdk8s';
 * import { ComponentName, Delivery, KubeflowPlatform, PlatformComponent, PlatformEnvironment } from 'trainyard/platform';
 *
 * const app = new App();
 * new KubeflowPlatform(app, 'ml', {
 *   environment: PlatformEnvironment.KIND,
 *   components: [PlatformComponent.of(ComponentName.JOBSET), PlatformComponent.trainer()],
 *   delivery: Delivery.argoCd({ repository: 'https://github.com/example/platform.git' }),
 * });
 * app.synth();
 */
export class KubeflowPlatform extends Construct {
  /** Name of the platform. */
  public readonly name: string;

  private readonly resolution: Resolution;
  private readonly plan?: PlatformPlan;
  private readonly charts = new Map<string, Chart>();
  private readonly programCharts: readonly string[];
  private readonly isKustomization: boolean;

  public constructor(scope: Construct, id: string, props: KubeflowPlatformProps) {
    super(scope, id);
    checkProps(this, 'KubeflowPlatformProps', props);
    this.name = props.name ?? id.toLowerCase();
    this.isKustomization = props.delivery._argoCd === undefined && props.delivery._flux === undefined;
    this.programCharts = props.charts ?? [];
    const app = App.of(this);
    const { spec, given, violations: ofChoice } = toPlatformSpec(props);
    this.resolution = resolveComponents(spec);
    const violations = [
      ...ofChoice, ...this.resolution.violations, ...validatePlatform(spec, given), ...checkDelivery(props.delivery),
      ...platformTokens(spec, props.delivery), ...checkCharts(this.programCharts),
    ];
    if (!NAME.test(this.name)) {
      violations.unshift({ path: 'name', value: this.name, message: 'must be at most 40 lower-case letters, digits and dashes, beginning with a letter: it is the prefix of component names.' });
    }
    this.node.addValidation({
      validate: () => [
        ...violations.map((violation) => `KubeflowPlatform '${this.name}': ${formatViolation(violation)}`),
        // Checked late, because charts that are added later can have dependencies too.
        ...(this.isKustomization ? [] : outputProblems(app, props.delivery._flux !== undefined).map((problem) => `KubeflowPlatform '${this.name}': ${problem}`)),
      ],
    });
    // Unconfirmed versions of the catalogue are only in `warnings`, because a program cannot fix them.
    ProgramChecks.of(this).addSource(this, () => `KubeflowPlatform '${this.name}'`, () => this.resolution.warnings.filter(({ path }) => !path.endsWith('.version')).map((warning) => ({
      ...warning, severity: 'warning', rule: CHECK_RULES.untested.id,
    })));
    if (violations.length > 0) {
      return;
    }
    const exporter = exporterOfPlatform(spec.environment, [...spec.components, ...spec.existing].map((each) => each.name));
    if (exporter !== undefined) {
      recordGpuExporter(this, exporter);
    }
    const components = planPlatform(spec, this.resolution);
    // Charts get their objects later: the plan is computed again at synth.
    const plan = () => addProgramCharts(components, this.programCharts.map((chart) => contentOf(chart, this.chartOf(chart))));
    this.plan = plan();
    const operator = props.components?.find(({ _operator }) => _operator !== undefined)?._operator;
    const chartOf = (component: PlannedComponent) => this.chartOf(component.name);
    if (props.delivery._flux !== undefined) {
      addFlux(app, this.name, this.plan, props.delivery._flux, chartOf);
    }
    addProgramObjects(this.plan, chartOf, operator);
    if (props.delivery._argoCd !== undefined) {
      addArgoCd(app, this.name, plan, props.delivery._argoCd);
      // A job that deletes itself would be created again and again.
      this.programCharts.forEach((name) => new ArgoCdJobs(this, `Jobs-${name}`, { over: this.chartOf(name) }));
    }
  }

  /** Installed components by wave: each wave depends only on earlier ones. */
  public get waves(): string[][] {
    return this.resolution.waves.map((wave) => [...wave]);
  }

  /** Unconfirmed versions and untested pairs. Never errors. */
  public get warnings(): string[] {
    return this.resolution.warnings.map(formatViolation);
  }

  /** Selected components that the environment already has, so that they are not installed. */
  public get builtIn(): string[] {
    return [...this.resolution.builtIn];
  }

  /**
   * A chart that is delivered after the components.
   * @param name one of `charts`
   * @throws Error for another name
   */
  public chart(name: string): Chart {
    if (!this.programCharts.includes(name)) {
      const known = this.programCharts.length === 0 ? 'there are none' : `there are ${this.programCharts.map((one) => `'${one}'`).join(', ')}`;
      throw new Error(`KubeflowPlatform '${this.name}': charts has no '${name}'; ${known}. Add it to 'charts', in its place in the order.`);
    }
    return this.chartOf(name);
  }

  /**
   * Files of the kustomizations by path, with the script that applies them in order.
   * @throws Error if the delivery is not `Delivery.kustomization()`, or the platform is invalid
   */
  public kustomizationFiles(): { [path: string]: string } {
    if (!this.isKustomization) {
      throw new Error(`KubeflowPlatform '${this.name}': kustomizationFiles is for Delivery.kustomization(); another delivery has no such files.`);
    }
    if (this.plan === undefined) {
      throw new Error(`KubeflowPlatform '${this.name}' is not valid. ${this.node.validate().join(' ')}`);
    }
    const objectsOf = (component: PlannedComponent) => (hasObjects(component) ? this.chartOf(component.name).toJson() as object[] : []);
    return { ...renderKustomizationTree(this.plan, objectsOf, toYaml, (objects) => Yaml.stringify(...objects)) };
  }

  /**
   * Writes the kustomizations and the script.
   * @param directory folder for the files; by default, a folder with the platform's name in the app's output
   * @returns the folder
   */
  public writeKustomization(directory?: string): string {
    const folder = directory ?? path.join(App.of(this).outdir, this.name);
    for (const [file, text] of Object.entries(this.kustomizationFiles())) {
      const target = path.join(folder, file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, text, file.endsWith('.sh') ? { mode: 0o755 } : {});
    }
    return folder;
  }

  /** The chart of a component, directly below the app, so that its file has a name without a hash. */
  private chartOf(name: string): Chart {
    const chart = this.charts.get(name) ?? new Chart(App.of(this), `${this.name}-${name}`);
    this.charts.set(name, chart);
    return chart;
  }
}
