import type { GrantConditionSpec, GrantResourceKind, GrantResourceSpec, GrantSpec } from '../../../model/identity/spec';
import { checkTypes } from '../../props/check-props';

/** Options of every grant. */
export interface GrantOptions {
  /**
   * Reason for a broad role. Without it, basic roles, administrator roles and roles on whole projects are an error.
   * @default - the role is not broad
   */
  readonly broadBecause?: string;
}

/** Options of `Grant.onProject`. */
export interface ProjectGrantOptions extends GrantOptions {
  /** Condition in CEL, such as `resource.name.startsWith("projects/p/instances/runs")`. @default - the whole project */
  readonly condition?: string;
}

/** Options of `Grant.cloudSqlClient`. */
export interface CloudSqlGrantOptions {
  /** Whether the identity itself logs in to the database, without a password. @default false */
  readonly databaseLogin?: boolean;
}

/** What an identity may do: a role on a resource, with the least privilege for the task. */
export class Grant {
  /** Reading the objects of a bucket: `roles/storage.objectViewer`. */
  public static bucketReader(bucket: string): Grant {
    return Grant.of('roles/storage.objectViewer', 'StorageBucket', bucket);
  }

  /** Reading and writing the objects of a bucket, as checkpoints need: `roles/storage.objectUser`. */
  public static bucketWriter(bucket: string): Grant {
    return Grant.of('roles/storage.objectUser', 'StorageBucket', bucket);
  }

  /**
   * Reading the tables of a BigQuery dataset: `roles/bigquery.dataViewer`, on the project with a condition for the dataset.
   * @param project id of the project
   */
  public static datasetReader(project: string, dataset: string): Grant {
    return Grant.ofDataset('roles/bigquery.dataViewer', project, dataset);
  }

  /**
   * Reading and writing the tables of a BigQuery dataset: `roles/bigquery.dataEditor`, on the project with a condition for the dataset.
   * @param project id of the project
   */
  public static datasetWriter(project: string, dataset: string): Grant {
    return Grant.ofDataset('roles/bigquery.dataEditor', project, dataset);
  }

  /**
   * Running queries, which are billed to the project: `roles/bigquery.jobUser`. Grant access to the data separately.
   * @param project id of the project
   */
  public static queries(project: string): Grant {
    return Grant.of('roles/bigquery.jobUser', 'Project', `projects/${project}`);
  }

  /** Publishing to a Pub/Sub topic: `roles/pubsub.publisher`. @param project id of the project */
  public static publisher(project: string, topic: string): Grant {
    return Grant.of('roles/pubsub.publisher', 'PubSubTopic', `projects/${project}/topics/${topic}`);
  }

  /** Receiving from a Pub/Sub subscription: `roles/pubsub.subscriber`. @param project id of the project */
  public static subscriber(project: string, subscription: string): Grant {
    return Grant.of('roles/pubsub.subscriber', 'PubSubSubscription', `projects/${project}/subscriptions/${subscription}`);
  }

  /**
   * Connecting to a Cloud SQL instance: `roles/cloudsql.client`, on the project with a condition for the instance.
   * @param project id of the project
   */
  public static cloudSqlClient(project: string, instance: string, options: CloudSqlGrantOptions = {}): Grant {
    checkTypes('Grant.cloudSqlClient', 'CloudSqlGrantOptions', options);
    const condition = {
      title: `instance ${instance}`,
      expression: `resource.name == "projects/${project}/instances/${instance}" && resource.service == "sqladmin.googleapis.com"`,
    };
    const roles = ['roles/cloudsql.client', ...(options.databaseLogin ? ['roles/cloudsql.instanceUser'] : [])];
    return new Grant(roles.map((role) => ({ role, resource: projectResource(project), condition })));
  }

  /**
   * Connecting to AlloyDB: `roles/alloydb.client` and `roles/serviceusage.serviceUsageConsumer`, on the project, because AlloyDB supports no
   * conditions.
   * @param project id of the project
   */
  public static alloyDbClient(project: string): Grant {
    return new Grant(['roles/alloydb.client', 'roles/serviceusage.serviceUsageConsumer'].map((role) => ({ role, resource: projectResource(project) })));
  }

  /**
   * Pulling images and packages of a repository: `roles/artifactregistry.reader`. The node pulls the images of pods, with its own account.
   * @param project id of the project
   * @param location region, or `europe`, `us`, `asia`
   */
  public static imageReader(project: string, location: string, repository: string): Grant {
    return Grant.of('roles/artifactregistry.reader', 'ArtifactRegistryRepository', `projects/${project}/locations/${location}/repositories/${repository}`);
  }

  /**
   * Reading the versions of a secret, as `Credentials.secretManager` needs: `roles/secretmanager.secretAccessor`.
   * @param project id of the project
   */
  public static secretReader(project: string, secret: string): Grant {
    return Grant.of('roles/secretmanager.secretAccessor', 'SecretManagerSecret', `projects/${project}/secrets/${secret}`);
  }

  /** Any other role on a bucket. @param role such as `roles/storage.objectCreator` */
  public static onBucket(role: string, bucket: string, options: GrantOptions = {}): Grant {
    checkTypes('Grant.onBucket', 'GrantOptions', options);
    return Grant.of(role, 'StorageBucket', bucket, options);
  }

  /**
   * Any other role on a project.
   * @param role such as `roles/aiplatform.user`
   * @param project id of the project
   */
  public static onProject(role: string, project: string, options: ProjectGrantOptions = {}): Grant {
    checkTypes('Grant.onProject', 'ProjectGrantOptions', options);
    const { condition: expression, ...rest } = options;
    const condition: GrantConditionSpec | undefined = expression === undefined ? undefined : { title: 'as the program says', expression };
    return new Grant([{ role, resource: projectResource(project), condition, ...rest }]);
  }

  private static of(role: string, kind: GrantResourceKind, external: string, options: GrantOptions = {}): Grant {
    return new Grant([{ role, resource: { kind, external }, ...options }]);
  }

  /** On the project with a condition, because Config Connector does not support policies on datasets. */
  private static ofDataset(role: string, project: string, dataset: string): Grant {
    const name = `projects/${project}/datasets/${dataset}`;
    const condition = { title: `dataset ${dataset}`, expression: `resource.name == "${name}" || resource.name.startsWith("${name}/")` };
    return new Grant([{ role, resource: projectResource(project), condition }]);
  }

  private constructor(private readonly specs: readonly GrantSpec[]) {}

  /** One spec for each role. @internal */
  public _toSpecs(): GrantSpec[] {
    return [...this.specs];
  }
}

function projectResource(project: string): GrantResourceSpec {
  return { kind: 'Project', external: `projects/${project}` };
}
