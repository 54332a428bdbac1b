/** A gateway, one service in two versions, and routes of every kind: five objects, nothing wrong with them. */
export const smallShop = `apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: public, namespace: istio-system}
spec:
  selector: {app: gw}
  servers:
  - port: {number: 8080, name: http, protocol: HTTP}
    hosts: [shop.example.com]
---
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: reviews, namespace: shop}
spec:
  hosts: [reviews.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 9080, name: http, protocol: HTTP}]
  endpoints:
  - {address: 10.0.0.1, labels: {version: v1}}
  - {address: 10.0.0.2, labels: {version: v2}}
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: reviews, namespace: shop}
spec:
  host: reviews.shop.svc.cluster.local
  subsets:
  - {name: v1, labels: {version: v1}}
  - {name: v2, labels: {version: v2}}
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: shop, namespace: shop}
spec:
  hosts: [shop.example.com]
  gateways: [istio-system/public]
  http:
  - name: testers
    match: [{headers: {end-user: {exact: jason}}}]
    route: [{destination: {host: reviews.shop.svc.cluster.local, subset: v2}}]
  - name: old
    match: [{uri: {prefix: /old}}]
    redirect: {uri: /new}
  - name: everybody
    match: [{uri: {prefix: /reviews}}]
    route:
    - {destination: {host: reviews.shop.svc.cluster.local, subset: v1}, weight: 80}
    - {destination: {host: reviews.shop.svc.cluster.local, subset: v2}, weight: 20}
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: reviews, namespace: shop}
spec:
  hosts: [reviews.shop.svc.cluster.local]
  http:
  - route: [{destination: {host: reviews.shop.svc.cluster.local, subset: v1}}]
`;
