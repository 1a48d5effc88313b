package main

import (
	"github.com/aws/jsii-runtime-go"
	"github.com/cdk8s-team/cdk8s-core-go/cdk8s/v2"
	kplus "github.com/cdk8s-team/cdk8s-plus-go/cdk8splus28/v2"
	"github.com/trainyard/trainyard-go/trainyard"
	"github.com/trainyard/trainyard-go/trainyard/workbench"
)

func main() {
	defer jsii.Close()
	app := cdk8s.NewApp(nil)
	chart := cdk8s.NewChart(app, jsii.String("workbench"), &cdk8s.ChartProps{Namespace: jsii.String("team-a")})

	claim := kplus.PersistentVolumeClaim_FromClaimName(chart, jsii.String("HomeClaim"), jsii.String("home-ada"))
	volume := kplus.Volume_FromPersistentVolumeClaim(chart, jsii.String("Home"), claim, &kplus.PersistentVolumeClaimVolumeOptions{Name: jsii.String("home")})
	// A class of cdk8s-plus as an interface of trainyard: TypeScript and Python need no cast.
	var home trainyard.IVolume
	jsii.UnsafeCast(volume, &home)

	job := trainyard.NewTrainingJob(chart, jsii.String("Vision"), &trainyard.TrainingJobProps{
		Metadata:   &cdk8s.ApiObjectMetadata{Name: jsii.String("vision")},
		Framework:  trainyard.Framework_Pytorch(nil),
		Image:      jsii.String("registry.example/vision:1"),
		Command:    jsii.Strings("torchrun", "train.py"),
		Replicas:   jsii.Number(4),
		Resources:  &trainyard.TrainingResources{Gpu: trainyard.Gpu_Nvidia(jsii.Number(8))},
		Scheduling: &trainyard.Scheduling{QueueName: jsii.String("research")},
		Checkpoint: trainyard.Checkpoint_At(jsii.String("gs://runs/vision"), nil),
	})

	// One replica of the job for debugging its script, with one GPU instead of eight. It waits in the same queue, and stops an hour
	// after the last connection.
	workbench.Workspace_Of(job, &workbench.WorkspaceOptions{
		JobName: jsii.String("vision-ada"),
		Server: workbench.WorkspaceServer_Ssh(&workbench.WorkspaceSshOptions{
			AuthorizedKeys: kplus.Secret_FromSecretName(chart, jsii.String("Keys"), jsii.String("keys-ada")),
		}),
		IdleTimeout:  cdk8s.Duration_Hours(jsii.Number(1)),
		Resources:    &trainyard.TrainingResources{Gpu: trainyard.Gpu_Nvidia(jsii.Number(1))},
		VolumeMounts: &[]*trainyard.VolumeMount{{Path: jsii.String("/home/ada"), Volume: home}},
	})

	// What any notebook of the team can choose in the dashboard, and this one has.
	mirror := workbench.NewPodDefault(chart, jsii.String("Mirror"), &workbench.PodDefaultProps{
		Metadata:    &cdk8s.ApiObjectMetadata{Name: jsii.String("pip-mirror")},
		Description: jsii.String("Python packages from the mirror"),
		Env:         &map[string]kplus.EnvValue{"PIP_INDEX_URL": kplus.EnvValue_FromValue(jsii.String("https://mirror.example/simple"))},
	})

	workbench.NewNotebook(chart, jsii.String("Lab"), &workbench.NotebookProps{
		Metadata:     &cdk8s.ApiObjectMetadata{Name: jsii.String("ada")},
		Server:       workbench.NotebookServer_Jupyter(jsii.String("registry.example/jupyter-pytorch-full:v1.10.0")),
		Resources:    &trainyard.TrainingResources{Cpu: kplus.Cpu_Units(jsii.Number(4)), Memory: cdk8s.Size_Gibibytes(jsii.Number(16))},
		VolumeMounts: &[]*trainyard.VolumeMount{{Path: jsii.String("/home/jovyan"), Volume: home}},
		PodDefaults:  &[]workbench.PodDefault{mirror},
	})

	workbench.NewTensorBoard(chart, jsii.String("Board"), &workbench.TensorBoardProps{
		Metadata: &cdk8s.ApiObjectMetadata{Name: jsii.String("vision")},
		Logs:     workbench.TensorBoardLogs_OfJob(job, jsii.String("logs")),
	})

	app.Synth()
}
