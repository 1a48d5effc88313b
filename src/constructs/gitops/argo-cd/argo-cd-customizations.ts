import { ApiObject, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import type { ArgoCdCustomization } from './argo-cd-customization';
import type { ArgoCdKind } from './argo-cd-kind';
import { checkProps, checkTypes } from '../../props/check-props';
import { PlainApiObject } from '../../rendering/plain-api-object';
import { constructCustomizationPatch, constructCustomizations } from '../../../manifests/argo-cd/customizations';
import type { KindCustomization } from '../../../manifests/argo-cd/kinds';
import { validateCustomization, validateCustomizationData } from '../../../model/argo-cd/customization-rules';
import { formatViolation, type Violation } from '../../../model/violations';

/** Properties of `ArgoCdCustomizations`. */
export interface ArgoCdCustomizationsProps {
  /** Namespace of Argo CD. @default argocd */
  readonly namespace?: string;

  /** Kinds of the library that Argo CD is configured for. @default - all */
  readonly kinds?: ArgoCdKind[];

  /** Whether Argo CD learns how these kinds are. @default true */
  readonly health?: boolean;

  /** Whether people can suspend, resume and retry from Argo CD. @default true */
  readonly actions?: boolean;

  /** Whether fields that controllers write may differ from their source. @default true */
  readonly ignoreDifferences?: boolean;

  /**
   * Whether Argo CD learns how Applications are. It has forgotten it since release 1.8, and without it an app of apps does not wait for its waves.
   * @default true
   */
  readonly applicationHealth?: boolean;

  /**
   * Customizations of your own. What they give for a kind of the library takes the place of the library's.
   * @default - none
   */
  readonly customizations?: ArgoCdCustomization[];

  /** Sync wave of the ConfigMap, where it is in an Application itself. @default - none, which is 0 */
  readonly wave?: number;
}

/**
 * Settings of Argo CD for training jobs, Ray, Kueue and language models: their health, the actions that users can run, and the fields that are not
 * compared with Git.
 *
 * It is a part of the ConfigMap `argocd-cm`. Apply it with server-side apply, so that the other keys stay. `KubeflowPlatform` includes it with
 * `Delivery.argoCd`.
 * @see docs/gitops.md
 * @example
 * import { ArgoCdCustomizations, ArgoCdKind } from 'trainyard/gitops';
 *
 * new ArgoCdCustomizations(chart, 'ArgoCd', { kinds: [ArgoCdKind.ML_TRAINING_JOB, ArgoCdKind.RAY_JOB] });
 */
export class ArgoCdCustomizations extends Construct {
  private readonly own: ArgoCdCustomization[];

  public constructor(scope: Construct, id: string, private readonly props: ArgoCdCustomizationsProps = {}) {
    super(scope, id);
    checkProps(this, 'ArgoCdCustomizationsProps', props);
    const { namespace = 'argocd', wave } = props;
    this.own = [...props.customizations ?? []];
    if (wave !== undefined && !Number.isInteger(wave)) {
      throw new Error(`ArgoCdCustomizations at '${this.node.path}': wave: ${wave}: must be a whole number.`);
    }
    new PlainApiObject(this, 'Resource', {
      ...constructCustomizationPatch({ namespace, wave, data: {} }), data: Lazy.any({ produce: () => this.data }),
    } as ConstructorParameters<typeof ApiObject>[2]);
    this.node.addValidation({
      validate: () => [
        ...this.own.flatMap((each, index) => customizationProblems(each, `customizations[${index}]`)),
        ...validateCustomizationData(this.data),
      ].map((violation) => `ArgoCdCustomizations: ${formatViolation(violation)}`),
    });
  }

  /** The settings, by their keys: also for values of Argo CD's chart (`configs.cm`). */
  public get data(): { [key: string]: string } {
    const { kinds, health, actions, ignoreDifferences, applicationHealth } = this.props;
    const own = this.own.map(toKindCustomization);
    return constructCustomizations({ kinds, health, actions, ignoreDifferences, applicationHealth, own });
  }

  /**
   * Adds a customization.
   * @param customization of a kind; what it gives for a kind of the library takes the place of the library's
   */
  public addCustomization(customization: ArgoCdCustomization): void {
    checkTypes('ArgoCdCustomizations.addCustomization', 'ArgoCdCustomization', customization);
    this.own.push(customization);
  }
}

/** In plain data. */
function toKindCustomization(given: ArgoCdCustomization): KindCustomization {
  const { group, kind, health, actionDiscovery, actions = [], ignoreDifferences, useOpenLibs } = given;
  return {
    group, kind, health, useOpenLibs,
    ...(actionDiscovery !== undefined && { actions: { discovery: actionDiscovery, actions } }),
    ...(ignoreDifferences !== undefined && { ignoreDifferences: { ...ignoreDifferences } }),
  };
}

/** What Argo CD could not read. */
function customizationProblems(given: ArgoCdCustomization, path: string): Violation[] {
  const { actionDiscovery, ignoreDifferences, ...rest } = given;
  return validateCustomization({ ...rest, ...ignoreDifferences, discovery: actionDiscovery }, path);
}
