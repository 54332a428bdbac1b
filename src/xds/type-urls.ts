/** The types that xDS has services of their own for, and rules of order. */
export const clusterType = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
export const endpointType = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment";
export const listenerType = "type.googleapis.com/envoy.config.listener.v3.Listener";
export const routeType = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration";
export const secretType = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";
export const extensionType = "type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig";

/** Types whose resources name clusters: they wait for new clusters, and removed clusters wait for them. */
export const clusterReferrers: readonly string[] = [listenerType, routeType];
