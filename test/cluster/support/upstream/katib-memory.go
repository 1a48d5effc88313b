// Package db keeps the observations of Katib's tests in memory, in place of a database.
package db

import (
	"sync"
	"time"

	api "github.com/kubeflow/katib/pkg/apis/manager/v1beta1"
	"github.com/kubeflow/katib/pkg/db/v1beta1/common"
)

type memory struct {
	lock sync.Mutex
	logs map[string][]*api.MetricLog
}

func NewKatibDBInterface(string, time.Duration) (common.KatibDBInterface, error) {
	return &memory{logs: map[string][]*api.MetricLog{}}, nil
}

func (m *memory) DBInit() {}

func (m *memory) SelectOne() error { return nil }

func (m *memory) RegisterObservationLog(trial string, observed *api.ObservationLog) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.logs[trial] = append(m.logs[trial], observed.MetricLogs...)
	return nil
}

func (m *memory) GetObservationLog(trial, metric, start, end string) (*api.ObservationLog, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	found := []*api.MetricLog{}
	for _, entry := range m.logs[trial] {
		if metric == "" || entry.Metric.Name == metric {
			found = append(found, entry)
		}
	}
	return &api.ObservationLog{MetricLogs: found}, nil
}

func (m *memory) DeleteObservationLog(trial string) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	delete(m.logs, trial)
	return nil
}
