/** The types with their own discovery services and ordering rules. */
export const clusterType = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
export const endpointType = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment";
export const listenerType = "type.googleapis.com/envoy.config.listener.v3.Listener";
export const routeType = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration";
export const virtualHostType = "type.googleapis.com/envoy.config.route.v3.VirtualHost";
export const secretType = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";
export const extensionType = "type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig";

/** Types whose resources name clusters. They wait for new clusters, and cluster removals wait for them. */
export const clusterReferrers: readonly string[] = [listenerType, routeType, virtualHostType];
