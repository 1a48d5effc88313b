/** What components take from Pulumi's configuration when their arguments do not say it, and the labels that all of their resources have. */
import * as config from '@pulumi/gcp/config';
import * as pulumi from '@pulumi/pulumi';
import type { Found } from './validated';

/** Labels that each resource has beside its own: who made it, and for which stack. Values are cut to what a label holds. */
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

/** Any text as the value of a label. */
function asLabelValue(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9_-]/g, '-').slice(0, 63);
}

/** The project of the provider's configuration. */
export function configuredProject(): string | undefined {
  return config.project;
}

/** What is wrong when nobody says the project. */
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
