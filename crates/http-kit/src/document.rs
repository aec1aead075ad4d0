//! Parts common to both OpenAPI documents: server, contact, tags and response descriptions.

use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{Contact, OpenApi, RefOr, Schema, Server};

/// Completes a document: the server URL, the contact, the tags as pairs of name and Chinese title in display order, and
/// a description for each response that has none (OpenAPI requires one). Parameters and request bodies lose the `null`
/// that utoipa adds to each optional one.
pub fn complete(document: &mut OpenApi, server: &str, subjects: &[(&str, &str)]) {
    document.servers = Some(vec![Server::new(server)]);
    let mut contact = Contact::new();
    contact.name = Some("本平台的管理员".to_owned());
    document.info.contact = Some(contact);
    let tag = |(name, title): &(&str, &str)| TagBuilder::new().name(*name).description(Some(*title)).build();
    document.tags = Some(subjects.iter().map(tag).collect());
    for operation in operations(document) {
        describe_responses(operation);
        remove_nulls(operation);
    }
}

/// All operations of a document.
pub fn operations(document: &mut OpenApi) -> impl Iterator<Item = &mut Operation> {
    document.paths.paths.values_mut().flat_map(|item| {
        let methods = [
            &mut item.get,
            &mut item.head,
            &mut item.options,
            &mut item.post,
            &mut item.put,
            &mut item.patch,
            &mut item.delete,
        ];
        methods.into_iter().flatten()
    })
}

/// A parameter or a body can be absent, but not null. Left in, code generators make unions of it, and refuse a binary
/// body.
fn remove_nulls(operation: &mut Operation) {
    let parameters = operation.parameters.iter_mut().flatten().filter_map(inline);
    let mut schemas: Vec<_> = parameters.filter_map(|parameter| parameter.schema.as_mut()).collect();
    if let Some(body) = operation.request_body.as_mut().and_then(inline) {
        let contents = body.content.values_mut().filter_map(inline);
        schemas.extend(contents.filter_map(|content| content.schema.as_mut()));
    }
    schemas.into_iter().for_each(remove_null);
}

/// The value unless it is a reference.
fn inline<T>(value: &mut RefOr<T>) -> Option<&mut T> {
    match value {
        RefOr::T(value) => Some(value),
        RefOr::Ref(_) => None,
    }
}

fn remove_null(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => {
            if let SchemaType::Array(types) = &object.schema_type
                && let [one, Type::Null] | [Type::Null, one] = types.as_slice()
            {
                object.schema_type = SchemaType::Type(one.clone());
            }
        }
        RefOr::T(Schema::OneOf(union)) => {
            union.items.retain(|item| !is_null(item));
            if let [only] = union.items.as_slice() {
                *schema = only.clone();
            }
        }
        _ => {}
    }
}

fn is_null(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null))
}

fn describe_responses(operation: &mut Operation) {
    for (status, answer) in &mut operation.responses.responses {
        if let RefOr::T(answer) = answer
            && answer.description.is_empty()
        {
            answer.description = default_description(status).to_owned();
        }
    }
}

fn default_description(status: &str) -> &'static str {
    match status {
        "101" => "改用 WebSocket",
        "200" => "成功",
        "201" => "已新建",
        "202" => "已受理，在后台继续",
        "204" => "成功，没有内容",
        "400" => "请求的格式不对",
        "401" => "没有登录，或登录已经结束",
        "403" => "没有权限",
        "404" => "不存在",
        "408" => "请求的内容没有按时传完",
        "409" => "与现在的状态冲突",
        "413" => "内容太大",
        "415" => "不支持这种内容",
        "422" => "填写的内容不合要求",
        "423" => "正被占用或锁定",
        "429" => "请求太频繁",
        "500" => "服务器内部错误",
        "502" => "上游没有正确应答",
        "503" => "暂时无法服务",
        "507" => "空间不足",
        _ => "见状态码",
    }
}
