module example/jobs

go 1.25

require (
	github.com/aws/jsii-runtime-go v1.140.0
	github.com/cdk8s-team/cdk8s-core-go/cdk8s/v2 v2.70.106
	github.com/cdk8s-team/cdk8s-plus-go/cdk8splus28/v2 v2.5.6
	github.com/trainyard/trainyard-go/trainyard v0.1.0-dev.0
)

replace (
	github.com/aws/constructs-go/constructs/v10 => ../../dist/go/constructs
	github.com/cdk8s-team/cdk8s-core-go/cdk8s/v2 => ../../dist/go/cdk8s
	github.com/cdk8s-team/cdk8s-plus-go/cdk8splus28/v2 => ../../dist/go/cdk8splus28
	github.com/trainyard/trainyard-go/trainyard => ../../dist/go/trainyard
)
