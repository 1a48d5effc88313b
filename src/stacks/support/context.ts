/** Defaults from Pulumi's configuration, and the labels of all resources. */
import * as config from '@pulumi/gcp/config';
import * as pulumi from '@pulumi/pulumi';
import type { Found } from './validated';

/** Labels that are added to each resource: the creator and the stack. Values are shortened to the maximum length of a label. */
export function commonLabels(
  labels: pulumi.Input<{ readonly [name: string]: pulumi.Input<string> }> | undefined,
): pulumi.Output<{ [name: string]: string }> {
  return pulumi.output(labels ?? {}).apply((own): { [name: string]: string } => ({
    'managed-by': 'trainyard',
    'pulumi-project': asLabelValue(pulumi.getProject()),
    'pulumi-stack': asLabelValue(pulumi.getStack()),
    ...own as { [name: string]: string },
  }));
}

/** Converts any text to a valid label value. */
function asLabelValue(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9_-]/g, '-').slice(0, 63);
}

/** The project from the provider's configuration. */
export function configuredProject(): string | undefined {
  return config.project;
}

/** The error if there is no project. */
export function missingProject(project: unknown): Found[] {
  return project !== undefined || configuredProject() !== undefined ? [] : [{
    path: 'project', value: undefined, message: 'is not known. Set it here, or globally: pulumi config set gcp:project PROJECT_ID.',
  }];
}

/** Whether a location is a region. */
export function isRegion(location: string): boolean {
  return !/-[a-z]$/.test(location);
}

/** The region of a zone, or the region itself. */
export function regionOf(location: string): string {
  return location.replace(/-[a-z]$/, '');
}
