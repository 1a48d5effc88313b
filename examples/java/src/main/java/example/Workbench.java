package example;

import io.github.trainyard.Checkpoint;
import io.github.trainyard.Framework;
import io.github.trainyard.Gpu;
import io.github.trainyard.IVolume;
import io.github.trainyard.Scheduling;
import io.github.trainyard.TrainingJob;
import io.github.trainyard.TrainingResources;
import io.github.trainyard.VolumeMount;
import io.github.trainyard.workbench.Notebook;
import io.github.trainyard.workbench.NotebookServer;
import io.github.trainyard.workbench.PodDefault;
import io.github.trainyard.workbench.TensorBoard;
import io.github.trainyard.workbench.TensorBoardLogs;
import io.github.trainyard.workbench.Workspace;
import io.github.trainyard.workbench.WorkspaceOptions;
import io.github.trainyard.workbench.WorkspaceServer;
import io.github.trainyard.workbench.WorkspaceSshOptions;
import java.util.List;
import java.util.Map;
import org.cdk8s.ApiObjectMetadata;
import org.cdk8s.App;
import org.cdk8s.Chart;
import org.cdk8s.ChartProps;
import org.cdk8s.Duration;
import org.cdk8s.Size;
import org.cdk8s.plus28.Cpu;
import org.cdk8s.plus28.EnvValue;
import org.cdk8s.plus28.PersistentVolumeClaim;
import org.cdk8s.plus28.PersistentVolumeClaimVolumeOptions;
import org.cdk8s.plus28.Secret;
import org.cdk8s.plus28.Volume;
import software.amazon.jsii.UnsafeCast;

public class Workbench {
  public static void main(String[] args) {
    App app = new App();
    Chart chart = new Chart(app, "workbench", ChartProps.builder().namespace("team-a").build());

    // A class of cdk8s-plus as an interface of trainyard: TypeScript and Python need no cast.
    IVolume home = UnsafeCast.unsafeCast(
        Volume.fromPersistentVolumeClaim(
            chart,
            "Home",
            PersistentVolumeClaim.fromClaimName(chart, "HomeClaim", "home-ada"),
            PersistentVolumeClaimVolumeOptions.builder().name("home").build()),
        IVolume.class);

    TrainingJob job = TrainingJob.Builder.create(chart, "Vision")
        .metadata(ApiObjectMetadata.builder().name("vision").build())
        .framework(Framework.pytorch())
        .image("registry.example/vision:1")
        .command(List.of("torchrun", "train.py"))
        .replicas(4)
        .resources(TrainingResources.builder().gpu(Gpu.nvidia(8)).build())
        .scheduling(Scheduling.builder().queueName("research").build())
        .checkpoint(Checkpoint.at("gs://runs/vision"))
        .build();

    // One replica of the job for debugging its script, with one GPU instead of eight. It waits in the same queue, and stops an hour
    // after the last connection.
    Workspace.of(job, WorkspaceOptions.builder()
        .jobName("vision-ada")
        .server(WorkspaceServer.ssh(
            WorkspaceSshOptions.builder().authorizedKeys(Secret.fromSecretName(chart, "Keys", "keys-ada")).build()))
        .idleTimeout(Duration.hours(1))
        .resources(TrainingResources.builder().gpu(Gpu.nvidia(1)).build())
        .volumeMounts(List.of(VolumeMount.builder().path("/home/ada").volume(home).build()))
        .build());

    // What any notebook of the team can choose in the dashboard, and this one has.
    PodDefault mirror = PodDefault.Builder.create(chart, "Mirror")
        .metadata(ApiObjectMetadata.builder().name("pip-mirror").build())
        .description("Python packages from the mirror")
        .env(Map.of("PIP_INDEX_URL", EnvValue.fromValue("https://mirror.example/simple")))
        .build();

    Notebook.Builder.create(chart, "Lab")
        .metadata(ApiObjectMetadata.builder().name("ada").build())
        .server(NotebookServer.jupyter("registry.example/jupyter-pytorch-full:v1.10.0"))
        .resources(TrainingResources.builder().cpu(Cpu.units(4)).memory(Size.gibibytes(16)).build())
        .volumeMounts(List.of(VolumeMount.builder().path("/home/jovyan").volume(home).build()))
        .podDefaults(List.of(mirror))
        .build();

    TensorBoard.Builder.create(chart, "Board")
        .metadata(ApiObjectMetadata.builder().name("vision").build())
        .logs(TensorBoardLogs.ofJob(job, "logs"))
        .build();

    app.synth();
  }
}
