/** A repository of container images. */
import * as artifactregistry from '@pulumi/gcp/artifactregistry';
import * as pulumi from '@pulumi/pulumi';
import { BOOLEAN, integer, listOf, oneOf, pattern, required } from '../../model/shapes';
import { MEMBER, checkLength } from '../support/access';
import { commonLabels, configuredProject, missingProject } from '../support/context';
import { CLOUD_LABELS, KMS_KEY, PROJECT_ID, type InputsOf } from '../support/inputs';
import { throwErrors, validated, type ArgRules, type Found } from '../support/validated';

/** Arguments of {@link ArtifactRegistry}. */
export interface ArtifactRegistryArgs {
  /** @default - `gcp:project` of the configuration */
  readonly project?: pulumi.Input<string>;
  /** Location of the images. In the region of the cluster, pulls are fast and free. */
  readonly location: pulumi.Input<string>;
  /** @default - the name in the program */
  readonly repository?: pulumi.Input<string>;
  /** `DOCKER_HUB` for a cache of images from Docker Hub. @default - a repository for your own images */
  readonly mirrorOf?: pulumi.Input<string>;
  /** Whether tags cannot be moved to other images. @default false */
  readonly immutableTags?: pulumi.Input<boolean>;
  /** Days after which images without a tag are deleted. @default 30 */
  readonly untaggedDays?: pulumi.Input<number>;
  /** Number of newest versions of each image that are always kept. @default 10 */
  readonly keepVersions?: pulumi.Input<number>;
  /** Members that can pull, such as `serviceAccount:EMAIL`. @default - none */
  readonly readers?: InputsOf<readonly string[]>;
  /** Members that can push. @default - none */
  readonly writers?: InputsOf<readonly string[]>;
  readonly kmsKey?: pulumi.Input<string>;
  readonly labels?: InputsOf<{ readonly [name: string]: string }>;
}

const RULES: ArgRules<ArtifactRegistryArgs> = {
  fields: {
    project: PROJECT_ID,
    location: required(pattern(/^(?:[a-z]+-[a-z]+\d+|europe|us|asia)$/, 'must be a region such as europe-west4, or europe, us or asia.'), 'is required: the region of the cluster.'),
    repository: pattern(/^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must have 1 to 63 lower-case letters, digits and \'-\', starting with a letter.'),
    mirrorOf: oneOf(['DOCKER_HUB']),
    immutableTags: BOOLEAN,
    untaggedDays: integer(1),
    keepVersions: integer(1),
    readers: listOf(MEMBER),
    writers: listOf(MEMBER),
    kmsKey: KMS_KEY,
    labels: CLOUD_LABELS,
  },
  across: [
    { fields: ['project'], check: ({ project }) => missingProject(project) },
    { fields: ['mirrorOf', 'writers', 'immutableTags'], check: checkMirror },
  ],
};

function checkMirror({ mirrorOf, writers, immutableTags }: { readonly [field: string]: unknown }): Found[] {
  if (mirrorOf === undefined) {
    return [];
  }
  return [
    ...((writers as readonly string[] | undefined)?.length ? [{ path: 'writers', value: writers, message: 'have nothing to write: the images of a mirror come from its source. Remove them.' }] : []),
    ...(immutableTags ? [{ path: 'immutableTags', value: true, message: 'is for your own images: the tags of a mirror are those of its source. Remove it.' }] : []),
  ];
}

/** A Docker repository that deletes old images. */
export class ArtifactRegistry extends pulumi.ComponentResource {
  /** Prefix of image names: `LOCATION-docker.pkg.dev/PROJECT/REPOSITORY`. */
  public readonly url: pulumi.Output<string>;
  /** The repository itself. */
  public readonly repository: artifactregistry.Repository;

  /**
   * @param name name in the program
   * @param args the options of the repository
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors
   */
  public constructor(name: string, args: ArtifactRegistryArgs, opts?: pulumi.ComponentResourceOptions) {
    const checked = validated({ type: 'ArtifactRegistry', name }, { ...args, repository: args.repository ?? name }, RULES);
    throwErrors({ type: 'ArtifactRegistry', name }, [...checkLength('readers', args.readers), ...checkLength('writers', args.writers)]);
    super('trainyard:stacks:ArtifactRegistry', name, {}, opts);
    const project = checked.project ?? configuredProject();
    const isMirror = checked.mirrorOf !== undefined;
    this.repository = new artifactregistry.Repository(name, {
      project,
      location: checked.location,
      repositoryId: checked.repository!,
      format: 'DOCKER',
      mode: isMirror ? 'REMOTE_REPOSITORY' : 'STANDARD_REPOSITORY',
      remoteRepositoryConfig: isMirror ? { dockerRepository: { publicRepository: checked.mirrorOf } } : undefined,
      // Not { immutableTags: false }: the API does not return it, and each update would write it again.
      dockerConfig: isMirror ? undefined : pulumi.output(checked.immutableTags).apply((fixed) => (fixed ? { immutableTags: true } : undefined)),
      cleanupPolicies: [
        { id: 'delete-untagged', action: 'DELETE', condition: { tagState: 'UNTAGGED', olderThan: pulumi.output(checked.untaggedDays ?? 30).apply((days) => `${days}d`) } },
        { id: 'keep-newest', action: 'KEEP', mostRecentVersions: { keepCount: checked.keepVersions ?? 10 } },
      ],
      kmsKeyName: checked.kmsKey,
      labels: commonLabels(checked.labels),
    }, { parent: this });
    this.grant(name, 'reader', checked.readers, project);
    this.grant(name, 'writer', checked.writers, project);
    this.url = pulumi.interpolate`${this.repository.location}-docker.pkg.dev/${this.repository.project}/${this.repository.repositoryId}`;
    this.registerOutputs({ url: this.url });
  }

  /** Creates a grant for each member, named by its index, because the member can be an output. */
  private grant(name: string, role: 'reader' | 'writer', members: ArtifactRegistryArgs['readers'], project: pulumi.Input<string> | undefined): void {
    ((members ?? []) as readonly pulumi.Input<string>[]).forEach((member, index) => new artifactregistry.RepositoryIamMember(`${name}-${role}-${index}`, {
      project, location: this.repository.location, repository: this.repository.name, role: `roles/artifactregistry.${role}`, member,
    }, { parent: this }));
  }
}
