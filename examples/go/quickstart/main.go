package main

import (
	"github.com/aws/jsii-runtime-go"
	"github.com/cdk8s-team/cdk8s-core-go/cdk8s/v2"
	kplus "github.com/cdk8s-team/cdk8s-plus-go/cdk8splus28/v2"
	"github.com/trainyard/trainyard-go/trainyard"
)

func main() {
	defer jsii.Close()
	app := cdk8s.NewApp(nil)
	chart := cdk8s.NewChart(app, jsii.String("quickstart"), nil)

	runs := kplus.NewPersistentVolumeClaim(chart, jsii.String("Runs"), &kplus.PersistentVolumeClaimProps{
		Metadata:    &cdk8s.ApiObjectMetadata{Name: jsii.String("runs")},
		AccessModes: &[]kplus.PersistentVolumeAccessMode{kplus.PersistentVolumeAccessMode_READ_WRITE_MANY},
		Storage:     cdk8s.Size_Gibibytes(jsii.Number(10)),
	})

	trainyard.NewTrainingJob(chart, jsii.String("Digits"), &trainyard.TrainingJobProps{
		Metadata:        &cdk8s.ApiObjectMetadata{Name: jsii.String("digits")},
		Framework:       trainyard.Framework_Jax(),
		Image:           jsii.String("registry.example/digits:1"),
		Command:         jsii.Strings("python3", "train.py"),
		Replicas:        jsii.Number(2),
		Resources:       &trainyard.TrainingResources{Cpu: kplus.Cpu_Units(jsii.Number(2)), Memory: cdk8s.Size_Gibibytes(jsii.Number(4))},
		Hyperparameters: &map[string]*string{"EPOCHS": jsii.String("20"), "LEARNING_RATE": jsii.String("0.1")},
		Checkpoint:      trainyard.Checkpoint_OnClaim(runs, nil),
		RunPolicy:       &trainyard.RunPolicy{RestartPolicy: trainyard.RestartPolicy_ON_FAILURE, BackoffLimit: jsii.Number(3)},
	})

	app.Synth()
}
