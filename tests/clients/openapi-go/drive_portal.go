package main

import (
	"os"
	"time"

	"clients/openapi/portal"
)

func drivePortal() {
	anonymous := portalClient("")
	who := portal.Credentials{Username: os.Getenv("YUNLAB_USER"), Password: "wrong"}
	refused, err := anonymous.SessionLoginWithResponse(background, who)
	if answered("sign-in with a wrong password", 422, refused, err) {
		expect("code of the refusal", "wrong_credentials", refused.JSON422.Code)
	}
	who.Password = os.Getenv("YUNLAB_PASSWORD")
	signedIn, err := anonymous.SessionLoginWithResponse(background, who)
	if !answered("sign-in", 200, signedIn, err) {
		return
	}
	person := portalClient(signedIn.JSON200.Jwt)
	profile(person)
	accessTokens(person)
	worksheets(portalClient(os.Getenv("YUNLAB_TOKEN")))
	users(portalClient(os.Getenv("YUNLAB_ADMIN_TOKEN")))
}

func portalClient(token string) *portal.ClientWithResponses {
	client, err := portal.NewClientWithResponses(origin, portal.WithRequestEditorFn(bearer(token)))
	if err != nil {
		panic(err)
	}
	return client
}

func profile(client *portal.ClientWithResponses) {
	username := os.Getenv("YUNLAB_USER")
	list, err := client.UsersPublicWithResponse(background, &portal.UsersPublicParams{Q: &username})
	if !answered("list of people", 200, list, err) || len(list.JSON200.Items) != 1 {
		return
	}
	own, err := client.UsersGetWithResponse(background, list.JSON200.Items[0].Id)
	if answered("own profile", 200, own, err) {
		expect("own user name", username, own.JSON200.Username)
		expect("own role", 2, int(own.JSON200.Role))
	}
}

func accessTokens(client *portal.ClientWithResponses) {
	form := portal.AccessTokenForm{
		Name:    "生成的客户端",
		Scopes:  []portal.Scope{portal.ScopeRead},
		Expires: time.Now().Add(time.Hour),
	}
	unconfirmed, err := client.AccessTokensCreateWithResponse(background, form)
	if answered("access token without the password", 422, unconfirmed, err) {
		expect("code of the refusal", "password_required", unconfirmed.JSON422.Code)
	}
	again := portal.Confirmation{Password: os.Getenv("YUNLAB_PASSWORD")}
	confirmed, err := client.SessionConfirmWithResponse(background, again)
	answered("password again", 204, confirmed, err)
	made, err := client.AccessTokensCreateWithResponse(background, form)
	if !answered("new access token", 201, made, err) {
		return
	}
	list, err := client.AccessTokensListWithResponse(background)
	if answered("list of access tokens", 200, list, err) {
		expect("the new access token in the list", made.JSON201.Id, list.JSON200.Items[0].Id)
	}
	limited := portalClient(made.JSON201.Token)
	read, err := limited.WorksheetsListWithResponse(background, nil)
	answered("read with the access token", 200, read, err)
	refused, err := limited.WorksheetsCreateWithResponse(background, worksheetForm())
	if answered("write with an access token for reading", 403, refused, err) {
		expect("code of the refusal", "token_scope", refused.JSON403.Code)
	}
	deleted, err := client.AccessTokensDeleteWithResponse(background, made.JSON201.Id)
	answered("deletion of the access token", 204, deleted, err)
	read, err = limited.WorksheetsListWithResponse(background, nil)
	answered("read with a deleted access token", 401, read, err)
}

func worksheetForm() portal.WorksheetForm {
	return portal.WorksheetForm{Type: portal.WorksheetKindOther, Title: "生成的客户端 #1", Content: "第一行\n第二行"}
}

func worksheets(client *portal.ClientWithResponses) {
	made, err := client.WorksheetsCreateWithResponse(background, worksheetForm())
	if !answered("new work order", 201, made, err) {
		return
	}
	id := made.JSON201.Id
	mine := true
	list, err := client.WorksheetsListWithResponse(background, &portal.WorksheetsListParams{Mine: &mine})
	if answered("list of work orders", 200, list, err) {
		expect("the new work order in the list", id, list.JSON200.Worksheets[0].Id)
	}
	title := "改名 😀"
	renamed, err := client.WorksheetsUpdateWithResponse(background, id, portal.WorksheetChange{Title: &title})
	answered("new title", 200, renamed, err)
	read, err := client.WorksheetsGetWithResponse(background, id)
	if answered("the work order", 200, read, err) {
		expect("its title", title, read.JSON200.Title)
		expect("its content", "第一行\n第二行", read.JSON200.Content)
	}
	deleted, err := client.WorksheetsDeleteWithResponse(background, id)
	answered("deletion of the work order", 204, deleted, err)
	read, err = client.WorksheetsGetWithResponse(background, id)
	answered("the deleted work order", 404, read, err)
}

func users(client *portal.ClientWithResponses) {
	username, name, password := "oapi.made", "生成", "client2026"
	var body portal.UserPayload
	succeeds("body", body.FromUserFields(portal.UserFields{Username: &username, Name: &name, Password: &password}))
	made, err := client.UsersCreateWithResponse(background, body)
	if !answered("new user", 201, made, err) {
		return
	}
	id := made.JSON201.Id
	twice, err := client.UsersCreateWithResponse(background, body)
	answered("the same user again", 409, twice, err)
	list, err := client.UsersListWithResponse(background, &portal.UsersListParams{Q: &username})
	if answered("list of users", 200, list, err) {
		expect("users in the list", 1, len(list.JSON200.Items))
	}
	name = "改名"
	succeeds("body", body.FromUserFields(portal.UserFields{Name: &name}))
	renamed, err := client.UsersUpdateWithResponse(background, id, body)
	answered("new name", 200, renamed, err)
	read, err := client.UsersGetWithResponse(background, id)
	if answered("the user", 200, read, err) {
		expect("the user's name", name, read.JSON200.Name)
	}
	deleted, err := client.UsersDeleteWithResponse(background, id)
	answered("deletion of the user", 204, deleted, err)
	read, err = client.UsersGetWithResponse(background, id)
	answered("the deleted user", 404, read, err)
}
