package example;

import io.github.trainyard.Checkpoint;
import io.github.trainyard.Framework;
import io.github.trainyard.RestartPolicy;
import io.github.trainyard.RunPolicy;
import io.github.trainyard.TrainingJob;
import io.github.trainyard.TrainingResources;
import java.util.List;
import java.util.Map;
import org.cdk8s.ApiObjectMetadata;
import org.cdk8s.App;
import org.cdk8s.Chart;
import org.cdk8s.Size;
import org.cdk8s.plus28.Cpu;
import org.cdk8s.plus28.PersistentVolumeAccessMode;
import org.cdk8s.plus28.PersistentVolumeClaim;

public class Quickstart {
  public static void main(String[] args) {
    App app = new App();
    Chart chart = new Chart(app, "quickstart");

    PersistentVolumeClaim runs = PersistentVolumeClaim.Builder.create(chart, "Runs")
        .metadata(ApiObjectMetadata.builder().name("runs").build())
        .accessModes(List.of(PersistentVolumeAccessMode.READ_WRITE_MANY))
        .storage(Size.gibibytes(10))
        .build();

    TrainingJob.Builder.create(chart, "Digits")
        .metadata(ApiObjectMetadata.builder().name("digits").build())
        .framework(Framework.jax())
        .image("registry.example/digits:1")
        .command(List.of("python3", "train.py"))
        .replicas(2)
        .resources(TrainingResources.builder().cpu(Cpu.units(2)).memory(Size.gibibytes(4)).build())
        .hyperparameters(Map.of("EPOCHS", "20", "LEARNING_RATE", "0.1"))
        .checkpoint(Checkpoint.onClaim(runs))
        .runPolicy(RunPolicy.builder().restartPolicy(RestartPolicy.ON_FAILURE).backoffLimit(3).build())
        .build();

    app.synth();
  }
}
