//! One order: challenges, then the certificate.

use std::time::Duration;

use instant_acme::{
    Account, AuthorizationStatus, ChallengeType, Identifier, NewOrder, Order, OrderStatus, Problem, RetryPolicy,
};
use kernel::Secret;
use rcgen::{CertificateParams, DistinguishedName, KeyPair};

use super::fault::AcmeFault;
use crate::Portal;
use crate::features::https::certificate::CertificateFacts;
use crate::features::https::model::{HttpsSettings, renew_after};
use crate::features::https::store::NewCertificate;
use crate::features::https::store_acme;

/// The pauses between requests for the order's state.
fn patience() -> RetryPolicy {
    RetryPolicy::new().initial_delay(Duration::from_secs(1)).backoff(1.5).timeout(Duration::from_secs(100))
}

/// Orders a certificate and answers the challenges.
pub(super) async fn issue(
    portal: &Portal,
    account: &Account,
    settings: &HttpsSettings,
) -> Result<NewCertificate, AcmeFault> {
    let identifiers: Vec<Identifier> = settings.names.iter().cloned().map(Identifier::Dns).collect();
    let mut order = account.new_order(&NewOrder::new(&identifiers)).await?;
    let mut tokens = Vec::new();
    let proved = prove(portal, &mut order, &mut tokens).await;
    forget(portal, &tokens).await?;
    proved?;
    let (key, chain) = finish(&mut order, &settings.names).await?;
    let facts = CertificateFacts::read(&chain);
    let facts = facts.map_err(|error| AcmeFault::new(format!("ACME 服务器给的证书不能用：{error:#}")))?;
    Ok(NewCertificate {
        names: settings.names.clone(),
        source: settings.acme.directory.clone(),
        renew_after: renew_after(facts.not_before, facts.not_after),
        chain,
        key,
        facts,
    })
}

/// Answers the challenges. Collects their tokens in `tokens`.
async fn prove(portal: &Portal, order: &mut Order, tokens: &mut Vec<String>) -> Result<(), AcmeFault> {
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        match authorization.status {
            AuthorizationStatus::Valid => continue,
            AuthorizationStatus::Pending => {}
            status => return Err(AcmeFault::new(format!("ACME 服务器不再接受对域名的证明（{status:?}），请重试"))),
        }
        let Some(mut challenge) = authorization.challenge(ChallengeType::Http01) else {
            return Err(AcmeFault::new("ACME 服务器不支持 http-01 验证".to_owned()));
        };
        let (token, answer) = (challenge.token.clone(), challenge.key_authorization().as_str().to_owned());
        let tx = portal.db().begin().await?;
        store_acme::put_answer(&tx, &token, &answer, portal.now()).await?;
        tx.commit().await?;
        tokens.push(token);
        challenge.set_ready().await?;
    }
    match order.poll_ready(&patience()).await {
        Ok(OrderStatus::Ready | OrderStatus::Valid) => Ok(()),
        Ok(status) => Err(refused(order)
            .await?
            .unwrap_or_else(|| AcmeFault::new(format!("ACME 服务器没有接受对域名的证明（{status:?}）")))),
        Err(error) => Err(refused(order).await?.unwrap_or_else(|| error.into())),
    }
}

/// The refused challenge's error, if there is one: the order does not contain it.
async fn refused(order: &mut Order) -> Result<Option<AcmeFault>, AcmeFault> {
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        let name = authorization.identifier().identifier.clone();
        let state = authorization.refresh().await?;
        let problem: Option<&Problem> = state.challenges.iter().find_map(|challenge| challenge.error.as_ref());
        if let Some(problem) = problem {
            let name = match name {
                Identifier::Dns(name) => name,
                other => format!("{other:?}"),
            };
            return Ok(Some(AcmeFault::of_challenge(&name, problem)));
        }
    }
    Ok(None)
}

/// The key and the chain, PEM.
async fn finish(order: &mut Order, names: &[String]) -> Result<(Secret, String), AcmeFault> {
    let made = || -> Result<_, rcgen::Error> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name = DistinguishedName::new();
        let request = params.serialize_request(&key)?;
        Ok((key.serialize_pem(), request))
    };
    let (key, request) = made().map_err(|error| AcmeFault::new(format!("不能生成密钥：{error}")))?;
    order.finalize_csr(request.der()).await?;
    let chain = order.poll_certificate(&patience()).await?;
    Ok((Secret::new(key), chain))
}

async fn forget(portal: &Portal, tokens: &[String]) -> Result<(), AcmeFault> {
    let tx = portal.db().begin().await?;
    for token in tokens {
        store_acme::forget_answer(&tx, token).await?;
    }
    Ok(tx.commit().await?)
}
