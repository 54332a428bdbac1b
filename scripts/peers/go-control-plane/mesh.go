package main

import (
	"context"
	"fmt"
	"strconv"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// mesh has the resources that all proxies get, by type and name.
type mesh struct {
	isDelta   bool
	cache     cache.SnapshotCache
	resources map[string]map[string]types.Resource
	versions  map[string]int
}

// everyone gives all proxies the same snapshot.
type everyone struct{}

func (everyone) ID(*core.Node) string { return "everyone" }

func newMesh(isDelta bool) *mesh {
	return &mesh{
		isDelta:   isDelta,
		cache:     cache.NewSnapshotCache(true, everyone{}, nil),
		resources: map[string]map[string]types.Resource{},
		versions:  map[string]int{},
	}
}

// apply takes responses, and publishes one snapshot with all of them.
func (m *mesh) apply(responses []response) error {
	for _, each := range responses {
		if err := m.take(each); err != nil {
			return err
		}
		m.versions[each.TypeURL]++
	}
	var snapshot cache.Snapshot
	for typeURL, byName := range m.resources {
		index := cache.GetResponseType(typeURL)
		if index == types.UnknownType {
			continue
		}
		items := make([]types.Resource, 0, len(byName))
		for _, item := range byName {
			items = append(items, item)
		}
		snapshot.Resources[index] = cache.NewResources(strconv.Itoa(m.versions[typeURL]), items)
	}
	keepReferenced(&snapshot)
	return m.cache.SetSnapshot(context.Background(), everyone{}.ID(nil), &snapshot)
}

// keepReferenced removes endpoints and routes of clusters and listeners that are gone. A client that does not ask for
// every resource of a type would get none of them.
func keepReferenced(snapshot *cache.Snapshot) {
	for typeURL, names := range cache.GetAllResourceReferences(snapshot.Resources) {
		items := snapshot.Resources[cache.GetResponseType(typeURL)].Items
		for name := range items {
			if !names[name] {
				delete(items, name)
			}
		}
	}
}

func (m *mesh) take(recorded response) error {
	if m.isDelta {
		return m.takeDelta(recorded)
	}
	var read discovery.DiscoveryResponse
	if err := proto.Unmarshal(recorded.Bytes, &read); err != nil {
		return err
	}
	// In state of the world, a response of these types has all resources.
	if recorded.TypeURL == resource.ClusterType || recorded.TypeURL == resource.ListenerType {
		delete(m.resources, recorded.TypeURL)
	}
	for _, each := range read.GetResources() {
		if err := m.set(recorded.TypeURL, each); err != nil {
			return err
		}
	}
	return nil
}

func (m *mesh) takeDelta(recorded response) error {
	var read discovery.DeltaDiscoveryResponse
	if err := proto.Unmarshal(recorded.Bytes, &read); err != nil {
		return err
	}
	for _, each := range read.GetResources() {
		if err := m.set(recorded.TypeURL, each.GetResource()); err != nil {
			return err
		}
	}
	for _, name := range read.GetRemovedResources() {
		delete(m.resources[recorded.TypeURL], name)
	}
	return nil
}

func (m *mesh) set(typeURL string, packed *anypb.Any) error {
	item, err := packed.UnmarshalNew()
	if err != nil {
		return fmt.Errorf("cannot read a resource: %w", err)
	}
	if m.resources[typeURL] == nil {
		m.resources[typeURL] = map[string]types.Resource{}
	}
	m.resources[typeURL][cache.GetResourceName(item)] = item
	return nil
}
