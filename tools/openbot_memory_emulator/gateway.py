"""Gives the emulator's HTTP API what CloudFormation of the emulator leaves out: authorizers, integrations, routes.

They are read from the OpenAPI body that SAM wrote into the expanded template, so template.yaml stays the only list.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from openbot_memory_local.place import HOST, STACK, Place

type Json = Mapping[str, Any]

METHODS = {"get", "put", "post", "delete", "patch", "head", "options"}


def register(place: Place) -> str:
    """Register all routes anew and return the URL of the API."""
    cloudformation, gateway = place.client("cloudformation"), place.client("apigatewayv2")
    template = cloudformation.get_template(StackName=STACK, TemplateStage="Processed")["TemplateBody"]
    resources: Json = (json.loads(template) if isinstance(template, str) else template)["Resources"]
    physical = _physical_ids(cloudformation)
    parameters = {each["ParameterKey"]: each["ParameterValue"] for each in _stack(cloudformation)["Parameters"]}
    name, body = _api(resources)
    api = physical[name]
    _clear(gateway, api)
    definition = _resolve(body, physical | parameters)
    authorizers = _authorizers(gateway, api, definition)
    _routes(gateway, api, definition, authorizers)
    # Names under *.localhost do not resolve everywhere, so the path names the API; `$` is escaped for shells.
    return f"http://{HOST}:{place.port}/_aws/execute-api/{api}/%24default"


def outputs(place: Place) -> dict[str, str]:
    """The outputs of the deployed stack by their keys."""
    stack = _stack(place.client("cloudformation"))
    return {each["OutputKey"]: each["OutputValue"] for each in stack.get("Outputs", [])}


def _stack(cloudformation: Any) -> Any:  # noqa: ANN401
    return cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]


def _physical_ids(cloudformation: Any) -> dict[str, str]:  # noqa: ANN401
    found = cloudformation.describe_stack_resources(StackName=STACK)["StackResources"]
    return {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in found}


def _api(resources: Json) -> tuple[str, Json]:
    """The logical id of the one HTTP API, and its OpenAPI body."""
    ((name, api),) = ((n, each) for n, each in resources.items() if each["Type"] == "AWS::ApiGatewayV2::Api")
    return name, api["Properties"]["Body"]


def _resolve(value: Any, values: Mapping[str, str]) -> Any:  # noqa: ANN401
    """The value with every Ref and Fn::Sub put in. `AWS::` stays: the emulator reads ARNs alone."""
    match value:
        case {"Ref": str(name)}:
            resolved = name if name.startswith("AWS::") else values[name]
        case {"Fn::Sub": str(text)}:
            resolved = re.sub(r"\$\{(\w+)\}", lambda found: values[found[1]], text)
        case {"Fn::Sub": [str(text), given]}:
            resolved = _resolve({"Fn::Sub": text}, values | _resolve(given, values))
        case dict():
            resolved = {name: _resolve(each, values) for name, each in cast("Json", value).items()}
        case list():
            resolved = [_resolve(each, values) for each in cast("list[Any]", value)]
        case _:
            resolved = value
    return resolved


def _clear(gateway: Any, api: str) -> None:  # noqa: ANN401
    for route in gateway.get_routes(ApiId=api)["Items"]:
        gateway.delete_route(ApiId=api, RouteId=route["RouteId"])
    for integration in gateway.get_integrations(ApiId=api)["Items"]:
        gateway.delete_integration(ApiId=api, IntegrationId=integration["IntegrationId"])
    for authorizer in gateway.get_authorizers(ApiId=api)["Items"]:
        gateway.delete_authorizer(ApiId=api, AuthorizerId=authorizer["AuthorizerId"])


def _authorizers(gateway: Any, api: str, definition: Json) -> dict[str, str]:  # noqa: ANN401
    """The new authorizers' ids by their names."""
    made = dict[str, str]()
    for name, scheme in definition["components"]["securitySchemes"].items():
        its = scheme["x-amazon-apigateway-authorizer"]
        authorizer = gateway.create_authorizer(
            ApiId=api,
            Name=name,
            AuthorizerType=its["type"].upper(),
            AuthorizerUri=its["authorizerUri"],
            AuthorizerPayloadFormatVersion=its["authorizerPayloadFormatVersion"],
            EnableSimpleResponses=its["enableSimpleResponses"],
            AuthorizerResultTtlInSeconds=int(its["authorizerResultTtlInSeconds"]),
            IdentitySource=its["identitySource"],
        )
        made[name] = authorizer["AuthorizerId"]
    return made


def _routes(gateway: Any, api: str, definition: Json, authorizers: Mapping[str, str]) -> None:  # noqa: ANN401
    integrations = dict[str, str]()  # by function
    for path, operations in definition["paths"].items():
        for method in METHODS & operations.keys():
            operation = operations[method]
            its = operation["x-amazon-apigateway-integration"]
            if its["uri"] not in integrations:
                made = gateway.create_integration(
                    ApiId=api,
                    IntegrationType=its["type"].upper(),
                    IntegrationMethod=its["httpMethod"],
                    IntegrationUri=its["uri"],
                    PayloadFormatVersion=its["payloadFormatVersion"],
                )
                integrations[its["uri"]] = made["IntegrationId"]
            ((name, _),) = operation["security"][0].items()
            gateway.create_route(
                ApiId=api,
                RouteKey=f"{method.upper()} {path}",
                Target=f"integrations/{integrations[its['uri']]}",
                AuthorizationType="CUSTOM",
                AuthorizerId=authorizers[name],
            )
