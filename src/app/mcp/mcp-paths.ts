/** The sink calls: the usual direction. */
export const resourceSourcePath = "/istio.mcp.v1alpha1.ResourceSource/EstablishResourceStream";

/** The source calls. */
export const resourceSinkPath = "/istio.mcp.v1alpha1.ResourceSink/EstablishResourceStream";
