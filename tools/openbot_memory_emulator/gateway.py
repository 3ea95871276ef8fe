"""Registers the HTTP API's authorizers, integrations and routes, which the emulator's CloudFormation leaves out.

They are read from the OpenAPI body that SAM wrote into the expanded template, so template.yaml stays the only list.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from openbot_memory_emulator.config import HOST, STACK, StackConfig

type Json = Mapping[str, Any]

METHODS = {"get", "put", "post", "delete", "patch", "head", "options"}


def register(config: StackConfig) -> str:
    """Replace all routes of the API and return its URL."""
    cloudformation, gateway = config.client("cloudformation"), config.client("apigatewayv2")
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
    # The API is named in the path, as names under *.localhost do not resolve everywhere; `$` is escaped for shells.
    return f"http://{HOST}:{config.port}/_aws/execute-api/{api}/%24default"


def outputs(config: StackConfig) -> dict[str, str]:
    """The outputs of the deployed stack, by key."""
    stack = _stack(config.client("cloudformation"))
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
    """Replace every Ref and Fn::Sub by its value. Pseudo parameters (`AWS::`) stay: the emulator reads only ARNs."""
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
    """Create the authorizers; their ids by name."""
    made = dict[str, str]()
    for name, scheme in definition["components"]["securitySchemes"].items():
        declared = scheme["x-amazon-apigateway-authorizer"]
        authorizer = gateway.create_authorizer(
            ApiId=api,
            Name=name,
            AuthorizerType=declared["type"].upper(),
            AuthorizerUri=declared["authorizerUri"],
            AuthorizerPayloadFormatVersion=declared["authorizerPayloadFormatVersion"],
            EnableSimpleResponses=declared["enableSimpleResponses"],
            AuthorizerResultTtlInSeconds=int(declared["authorizerResultTtlInSeconds"]),
            IdentitySource=declared["identitySource"],
        )
        made[name] = authorizer["AuthorizerId"]
    return made


def _routes(gateway: Any, api: str, definition: Json, authorizers: Mapping[str, str]) -> None:  # noqa: ANN401
    integrations = dict[str, str]()  # by function
    for path, operations in definition["paths"].items():
        for method in METHODS & operations.keys():
            operation = operations[method]
            declared = operation["x-amazon-apigateway-integration"]
            if declared["uri"] not in integrations:
                made = gateway.create_integration(
                    ApiId=api,
                    IntegrationType=declared["type"].upper(),
                    IntegrationMethod=declared["httpMethod"],
                    IntegrationUri=declared["uri"],
                    PayloadFormatVersion=declared["payloadFormatVersion"],
                )
                integrations[declared["uri"]] = made["IntegrationId"]
            ((name, _),) = operation["security"][0].items()
            gateway.create_route(
                ApiId=api,
                RouteKey=f"{method.upper()} {path}",
                Target=f"integrations/{integrations[declared['uri']]}",
                AuthorizationType="CUSTOM",
                AuthorizerId=authorizers[name],
            )
